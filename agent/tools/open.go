package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

var (
	errNotRegular = errors.New("it is not a regular file")
	errShared     = errors.New("it is a hard link, so it may be a file of the server; copy it, and use the copy")
)

// maxLinks bounds how many links lead on from one to the next.
const maxLinks = 16

var errLinks = fmt.Errorf("it is a link to a link, more than %d times", maxLinks)

// check refuses what must not even be opened. A command can give a file of the
// server, such as the database, a second name in the workspace. SQLite's locks
// belong to the process and the file: closing any descriptor of that file drops them.
func (w workspaces) check(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && stat.Nlink > 1 || w.serverFile != nil && w.serverFile(info) {
		return errShared
	}
	return nil
}

// read reads the first maxRead bytes of a regular file, and its size.
func (w workspaces) read(root *os.Root, name string) (string, int64, error) {
	f, err := w.openFile(root, name)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxRead))
	return string(b), info.Size(), err
}

// openFile opens a regular file of a workspace for reading, one that check passes.
func (w workspaces) openFile(root *os.Root, name string) (*os.File, error) {
	name, err := followed(root, name)
	if err != nil {
		return nil, err
	}
	return openChecked(root, name, w.check)
}

// followed is the name of the file that a name leads to by links.
func followed(root *os.Root, name string) (string, error) {
	for range maxLinks {
		info, err := root.Lstat(name)
		if err != nil || info.Mode().Type() != fs.ModeSymlink {
			return name, err
		}
		target, err := root.Readlink(name)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			return "", errOutside
		}
		name = path.Join(path.Dir(name), target)
	}
	return "", errLinks
}

// createNew makes a file that was not there before, in place of any old one. An old
// one is never written to: it may be a second name of another file.
func createNew(root *os.Root, name string) (*os.File, error) {
	if err := remove(root, name); err != nil {
		return nil, err
	}
	return root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}
