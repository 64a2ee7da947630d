//go:build !linux

package sqlite

import "io/fs"

// holdsLock reports that nothing can be said here about locks.
func holdsLock(fs.FileInfo) bool { return false }
