//go:build !linux

package sqlite

import "io/fs"

// holdsLock reports that nothing can be said here about locks.
func holdsLock(fs.FileInfo) bool { return false }

// freeBytes is not known here: that the disk is full is noticed by the write itself.
func freeBytes(string) (free uint64, known bool) { return 0, false }
