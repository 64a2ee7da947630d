//go:build !linux

package tools

import (
	"io/fs"
	"os"
	"syscall"
)

// changedAt is unknown: where it stands differs from system to system.
func changedAt(*syscall.Stat_t) int64 { return 0 }

// openChecked looks at a file before it opens it. A command that runs meanwhile could
// change the file in between; only Linux has a way to exclude that.
func openChecked(root *os.Root, name string, check func(fs.FileInfo) error) (*os.File, error) {
	info, err := root.Lstat(name)
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, err
	}
	return root.Open(name)
}
