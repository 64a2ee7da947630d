package room

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// The calls and rights of Landlock, see linux/landlock.h. They are never changed, only added to.
const (
	sysLandlockCreateRuleset = 444
	sysLandlockAddRule       = 445
	sysLandlockRestrictSelf  = 446

	landlockVersion = 1 // asks for the version of the interface
	rulePathBeneath = 1

	accessExecute  = 1 << 0
	accessWrite    = 1 << 1
	accessRead     = 1 << 2
	accessReadDir  = 1 << 3
	accessMakeChar = 1 << 6
	accessMakeBlk  = 1 << 11
	accessTruncate = 1 << 14
	accessIoctl    = 1 << 15

	accessTCP      = 1<<0 | 1<<1 // bind and connect
	scopeEverybody = 1<<0 | 1<<1 // abstract sockets and signals
)

func accessKnown(version int) uint64 {
	switch {
	case version < 2:
		return 1<<13 - 1
	case version < 3:
		return 1<<14 - 1 // linking between folders
	case version < 5:
		return 1<<15 - 1 // truncate
	default:
		return 1<<16 - 1 // ioctl on devices
	}
}

type landlockRules struct{ files, network, scoped uint64 }

// Landlock is the version of the interface that this kernel has, 0 for none.
func Landlock() int {
	version, _, errno := syscall.RawSyscall(sysLandlockCreateRuleset, 0, 0, landlockVersion)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// confine leaves this thread, and all that it starts, only what the plan names.
func confine(p Plan) error {
	version := Landlock()
	if version == 0 {
		return errors.New("this kernel has none")
	}
	rules := landlockRules{files: accessKnown(version)}
	size := unsafe.Sizeof(rules.files) // older kernels know less of it
	if version >= 4 {
		size = unsafe.Sizeof(rules.files) + unsafe.Sizeof(rules.network)
		if p.NoTCP {
			rules.network = accessTCP
		}
	}
	if version >= 6 {
		size = unsafe.Sizeof(rules)
		rules.scoped = scopeEverybody
	}
	fd, _, errno := syscall.RawSyscall(sysLandlockCreateRuleset, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return errno
	}
	defer func() { _ = syscall.Close(int(fd)) }()
	if err := allowAll(int(fd), p, rules.files); err != nil {
		return err
	}
	_, _, errno = syscall.RawSyscall(sysLandlockRestrictSelf, fd, 0, 0)
	return errOf(errno)
}

func allowAll(ruleset int, p Plan, known uint64) error {
	const read = accessExecute | accessRead | accessReadDir
	readable := append([]string{"/proc"}, p.Read...)
	if p.Apart { // there is nothing but what the plan names
		readable = []string{"/"}
	}
	for _, path := range readable {
		if err := allow(ruleset, path, read&known); err != nil {
			return err
		}
	}
	write := known &^ (accessMakeChar | accessMakeBlk)
	for _, path := range append(append([]string{}, devices...), p.writable()...) {
		if err := allow(ruleset, path, write); err != nil {
			return err
		}
	}
	return nil
}

// allow gives rights to a file, or to all that is in a folder. What does not exist
// needs none.
func allow(ruleset int, path string, rights uint64) error {
	const oPath = 0x200000
	fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &failure{path, err}
	}
	defer func() { _ = syscall.Close(fd) }()
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= accessExecute | accessWrite | accessRead | accessTruncate | accessIoctl
	}
	// The kernel's structure is packed: eight bytes and four.
	var rule [12]byte
	*(*uint64)(unsafe.Pointer(&rule)) = rights
	*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd)
	_, _, errno := syscall.RawSyscall6(sysLandlockAddRule, uintptr(ruleset), rulePathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &failure{path, errno}
	}
	return nil
}
