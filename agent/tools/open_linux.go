package tools

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// changedAt is when anything of a file was changed; no program can set it.
func changedAt(stat *syscall.Stat_t) int64 { return stat.Ctim.Nano() }

// openChecked looks at a file before it opens it, without a moment in between: what
// O_PATH opens is only a name for the file, whose closing drops no locks.
func openChecked(root *os.Root, name string, check func(fs.FileInfo) error) (*os.File, error) {
	place, err := root.OpenFile(name, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = place.Close() }()
	info, err := place.Stat()
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", place.Fd()))
}
