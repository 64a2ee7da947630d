package sqlite

import "syscall"

// freeBytes is how much may still be written to the disk of a folder.
func freeBytes(folder string) (free uint64, known bool) {
	var disk syscall.Statfs_t
	if syscall.Statfs(folder, &disk) != nil {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true
}
