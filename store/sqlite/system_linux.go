package sqlite

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// lockedAt returns the descriptor of a file with which this process holds a POSIX lock on
// it, as far as the kernel tells; "" for none. Asking SQLite does not help: it believes
// that it has its locks. Nor does /proc/locks: it is read in parts, and leaves out some
// locks if other processes release theirs meanwhile.
func lockedAt(info fs.FileInfo) (descriptor string, err error) {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return "", err
	}
	for _, d := range all {
		if held, err := holdsLock(d.Name(), info); held || err != nil {
			return d.Name(), err
		}
	}
	return "", nil
}

// holdsLock reports whether a descriptor is one of a file, and holds a POSIX lock on it.
func holdsLock(descriptor string, info fs.FileInfo) (bool, error) {
	file, _ := os.Stat("/proc/self/fd/" + descriptor) // nil if it was closed meanwhile
	if !os.SameFile(file, info) {
		return false, nil
	}
	// lock:	1: POSIX  ADVISORY  READ 4711 08:01:131 1073741826 1073742335
	about, err := os.ReadFile("/proc/self/fdinfo/" + descriptor)
	return strings.Contains(string(about), "POSIX"), err
}

// freeBytes is how much may still be written to the disk of a folder.
func freeBytes(folder string) (free uint64, known bool) {
	var disk syscall.Statfs_t
	if syscall.Statfs(folder, &disk) != nil {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true
}
