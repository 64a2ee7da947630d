//go:build !linux

package sqlite

import "io/fs"

// lockedAt reports that nothing can be said here about locks.
func lockedAt(fs.FileInfo) (string, error) { return "", nil }

// holdsLock is never asked here.
func holdsLock(string, fs.FileInfo) (bool, error) { return false, nil }

// freeBytes is not known here: that the disk is full is noticed by the write itself.
func freeBytes(string) (free uint64, known bool) { return 0, false }
