package room

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// The newer calls to mount, the same number on every processor, and their flags.
const (
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysMountSetattr = 442

	openTreeClone = 1
	moveFromFD    = 4
	atRecursive   = 0x8000
	atEmptyPath   = 0x1000

	attrReadOnly = 1
	attrNoSuid   = 2
	attrIDMap    = 0x100000
)

type mountAttr struct{ set, clear, propagation, userns uint64 }

// place is where the new file system is put together. It is a folder of every
// Linux, and what is there is needed no longer.
const place = "/proc"

// devices are what programs expect to find.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// build puts together a file system of what the plan names, and makes it the only
// one there is in this namespace.
func build(p Plan) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return &failure{"part from the other mounts", err}
	}
	parts, err := collect(p)
	if err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", place, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return &failure{"begin it", err}
	}
	if err := furnish(p); err != nil {
		return err
	}
	for _, part := range parts {
		if err := part.put(); err != nil {
			return &failure{"put " + part.path, err}
		}
	}
	if err := link(parts); err != nil {
		return err
	}
	return moveIn()
}

// part is a piece of the new file system: a mount that is nowhere yet, or a link.
type part struct {
	path, link string
	fd         int
	folder     bool
}

// collect opens what the plan names, as long as it can be reached.
func collect(p Plan) (parts []part, err error) {
	opened := map[string]int{}
	for i, path := range p.Mounts {
		opened[path] = FirstMountFD + i
	}
	take := func(path string, attr mountAttr) error {
		got, err := open(path, attr, opened)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return &failure{"take " + path, err}
		}
		parts = append(parts, got)
		return nil
	}
	for _, path := range p.Read {
		if err := take(path, mountAttr{set: attrReadOnly | attrNoSuid}); err != nil {
			return nil, err
		}
	}
	for _, path := range append(append([]string{}, devices...), p.Write...) {
		if err := take(path, mountAttr{set: attrNoSuid}); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// open makes a detached mount of a path. A link to a folder stays a link.
func open(path string, attr mountAttr, opened map[string]int) (part, error) {
	if fd, ok := opened[path]; ok {
		syscall.CloseOnExec(fd)
		var stat syscall.Stat_t
		err := syscall.Fstat(fd, &stat)
		return part{path: path, fd: fd, folder: stat.Mode&syscall.S_IFMT == syscall.S_IFDIR}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return part{}, err
	}
	if to, err := os.Readlink(path); err == nil && info.IsDir() {
		return part{path: path, link: to}, nil
	}
	fd, err := OpenTree(path)
	if err == nil {
		err = setAttr(fd, attr)
	}
	return part{path: path, fd: fd, folder: info.IsDir()}, err
}

// OpenTree opens what is mounted at a path, and below, as a mount of its own.
func OpenTree(path string) (int, error) {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return 0, err
	}
	fd, _, errno := syscall.Syscall(sysOpenTree, atFDCWD, uintptr(unsafe.Pointer(name)), openTreeClone|atRecursive|syscall.O_CLOEXEC)
	return int(fd), errOf(errno)
}

// MapOwner makes a detached mount show what belongs to one user as another's, as
// the user namespace says, and maybe only show it.
func MapOwner(fd int, userns uintptr, readOnly bool) error {
	attr := mountAttr{set: attrIDMap | attrNoSuid, userns: uint64(userns)}
	if readOnly {
		attr.set |= attrReadOnly
	}
	return setAttr(fd, attr)
}

func setAttr(fd int, attr mountAttr) error {
	var empty [1]byte
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(fd), uintptr(unsafe.Pointer(&empty)), atEmptyPath|atRecursive,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errOf(errno)
}

// put makes a part visible at its path in the new file system.
func (p part) put() error {
	if p.link != "" {
		return nil
	}
	at := place + p.path
	if err := os.MkdirAll(folderOf(at), 0o755); err != nil {
		return err
	}
	var err error
	if p.folder {
		err = os.MkdirAll(at, 0o755)
	} else {
		err = os.WriteFile(at, nil, 0o644)
	}
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(p.fd) }()
	name, err := syscall.BytePtrFromString(at)
	if err != nil {
		return err
	}
	var empty [1]byte
	_, _, errno := syscall.Syscall6(sysMoveMount, uintptr(p.fd), uintptr(unsafe.Pointer(&empty)), atFDCWD,
		uintptr(unsafe.Pointer(name)), moveFromFD, 0)
	return errOf(errno)
}

// folderOf is where a file is. Package path/filepath would be initialised too late.
func folderOf(path string) string { return path[:lastOf(path, '/')] }

// furnish makes what a program expects and gets for itself: processes, and folders for
// temporary files.
func furnish(p Plan) error {
	if err := os.Mkdir(place+"/proc", 0o755); err != nil {
		return err
	}
	for _, name := range []string{"/tmp", "/dev/shm"} {
		if err := os.MkdirAll(place+name, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount("tmpfs", place+name, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777,size="+strconv.FormatInt(p.Limits.Temp, 10)); err != nil {
			return &failure{"make a folder for temporary files", err}
		}
	}
	const quiet = syscall.MS_RDONLY | syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	if err := syscall.Mount("proc", place+"/proc", "proc", quiet, ""); err != nil {
		return &failure{"show its processes", err}
	}
	return nil
}

// usualLinks are the names of a program's descriptors and of folders that are elsewhere.
var usualLinks = []part{
	{path: "/dev/fd", link: "/proc/self/fd"}, {path: "/dev/stdin", link: "/proc/self/fd/0"}, {path: "/dev/stdout", link: "/proc/self/fd/1"},
	{path: "/dev/stderr", link: "/proc/self/fd/2"}, {path: "/var/tmp", link: "/tmp"},
}

// link makes the links once all else is there: nothing is put through one of them.
func link(parts []part) error {
	for _, p := range append(parts, usualLinks...) {
		if p.link == "" {
			continue
		}
		if err := os.MkdirAll(folderOf(place+p.path), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(p.link, place+p.path); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// moveIn makes the new file system the root and lets go of the old one.
func moveIn() error {
	if err := os.Chdir(place); err != nil {
		return err
	}
	if err := syscall.PivotRoot(".", "."); err != nil {
		return &failure{"move in", err}
	}
	// The old root is mounted over the new one now.
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return &failure{"let go of the old one", err}
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return syscall.Mount("", "/", "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY|syscall.MS_NOSUID|syscall.MS_NODEV, "")
}

// atFDCWD is the working folder as a descriptor, -100.
const atFDCWD = ^uintptr(99)
