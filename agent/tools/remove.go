package tools

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Bounds of one removal: descriptors held at a time, entries of a folder in memory,
// and folders that were so deep that they were moved up.
const (
	maxRemoveDepth = 100
	removeListed   = 1000
	maxMoved       = 10_000
)

// removeTree removes what a folder has under a name, however deep it is and whatever
// modes a program has given to its folders. Nothing is there afterwards, or the error
// says what could not be removed. No link is followed.
func removeTree(parent *os.Root, name string) error {
	err := parent.RemoveAll(name)
	if err == nil {
		return nil
	}
	r := remover{name: name}
	if fault := r.openUp(parent, name, ".", 0); fault != nil {
		return errors.Join(err, fault)
	}
	return parent.RemoveAll(name)
}

// remover prepares a folder for removal that os.Root.RemoveAll does not get rid of.
type remover struct {
	name  string
	top   *os.Root // the folder itself
	moved int
}

// openUp gives the owner all rights on a folder and on those in it. What is too deep is
// moved up first: neither descriptors nor the length of a path end. at is the folder's
// path from the top.
func (r *remover) openUp(parent *os.Root, base, at string, depth int) error {
	if err := parent.Chmod(base, 0o700); err != nil {
		return unlessGone(err)
	}
	dir, err := parent.OpenRoot(base + "/.") // not a pipe that came in its place, which would be waited for
	if err != nil {
		return unlessGone(err)
	}
	defer func() { _ = dir.Close() }()
	if depth == 0 {
		r.top = dir
	}
	folders, err := subfolders(dir)
	for _, name := range folders {
		inside := path.Join(at, name)
		if depth < maxRemoveDepth {
			err = errors.Join(err, r.openUp(dir, name, inside, depth+1))
		} else {
			err = errors.Join(err, r.moveUp(inside))
		}
	}
	return err
}

// moveUp moves a folder to the top, and goes on there.
func (r *remover) moveUp(at string) error {
	if r.moved++; r.moved > maxMoved {
		return fmt.Errorf("%s has more than %d folders that are %d deep", r.name, maxMoved, maxRemoveDepth)
	}
	up := "removed." + rand.Text()
	if err := r.top.Rename(at, up); err != nil {
		return unlessGone(err)
	}
	return r.openUp(r.top, up, up, 1)
}

func subfolders(dir *os.Root) (names []string, err error) {
	list, err := dir.Open(".")
	if err != nil {
		return nil, unlessGone(err)
	}
	defer func() { _ = list.Close() }()
	for {
		found, err := list.ReadDir(removeListed)
		for _, d := range found {
			if d.IsDir() {
				names = append(names, d.Name())
			}
		}
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return names, unlessGone(err)
		}
	}
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
