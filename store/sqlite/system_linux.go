package sqlite

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// holdsLock reports whether this process has a POSIX lock on a file, as far as the
// kernel tells. Asking SQLite does not help: it believes that it has them.
func holdsLock(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	list, err := os.Open("/proc/locks")
	if err != nil {
		return false
	}
	defer func() { _ = list.Close() }()
	pid, inode := fmt.Sprint(os.Getpid()), fmt.Sprintf(":%d", stat.Ino)
	for lines := bufio.NewScanner(list); lines.Scan(); {
		// 3: POSIX  ADVISORY  READ 4711 08:01:131 1073741826 1073742335
		f := strings.Fields(lines.Text())
		if len(f) > 5 && f[1] == "POSIX" && f[4] == pid && strings.HasSuffix(f[5], inode) {
			return true
		}
	}
	return false
}

// freeBytes is how much may still be written to the disk of a folder.
func freeBytes(folder string) (free uint64, known bool) {
	var disk syscall.Statfs_t
	if syscall.Statfs(folder, &disk) != nil {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true
}
