package room

import (
	"errors"
	"os"
	"syscall"
)

const (
	// maxDepth is how deep folders may be nested: each takes two descriptors while those in
	// it are looked at. No path that a program can name is as deep.
	maxDepth = 4096
	// listed is how many entries of a folder are in memory.
	listed = 1000
	// block is what each file counts at least, so that empty ones count as well.
	block = 4096
)

// tally sums up what is on disk: blocks, and no lengths, and each file once, however many
// names it has.
type tally struct {
	sum, enough int64 // it is given up where there is more than enough
	tooDeep     bool
	linked      map[inode]bool // files of several names that were counted
}

type inode struct{ device, number uint64 }

func (t *tally) look(paths []string, u *unlinked) {
	t.linked = map[inode]bool{}
	for _, path := range paths {
		t.top(path)
	}
	if u != nil {
		t.sum += u.held()
	}
}

// top looks at a folder that no program can put another in the place of.
func (t *tally) top(path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	if shut(info) {
		_ = os.Chmod(path, info.Mode()|0o700) // what fails here does so below
		defer func() { _ = os.Chmod(path, info.Mode()) }()
	}
	if dir, err := os.OpenRoot(path); err == nil {
		t.folder(dir, 0)
		_ = dir.Close()
	}
}

// shut reports whether a folder's owner cannot read it, or look into it.
func shut(info os.FileInfo) bool { return info.Mode()&0o700 != 0o700 && os.Geteuid() != 0 }

// folder goes by descriptors: a path may become too long, or lead elsewhere meanwhile.
func (t *tally) folder(dir *os.Root, depth int) {
	list, err := dir.Open(".")
	if err != nil {
		t.tooDeep = t.tooDeep || noDescriptor(err)
		return // it is gone
	}
	defer func() { _ = list.Close() }()
	for t.sum <= t.enough && !t.tooDeep {
		entries, err := list.ReadDir(listed)
		for _, entry := range entries {
			t.entry(dir, entry.Name(), depth)
		}
		if err != nil {
			return // it ends, or is gone
		}
	}
}

func (t *tally) entry(dir *os.Root, name string, depth int) {
	info, err := dir.Lstat(name)
	if err != nil {
		return // what is removed meanwhile holds nothing
	}
	t.add(info)
	if !info.IsDir() {
		return
	}
	if depth == maxDepth {
		t.tooDeep = true
		return
	}
	if shut(info) {
		_ = dir.Chmod(name, info.Mode()|0o700)
		defer restore(dir, name, info.Mode())
	}
	inside, err := dir.OpenRoot(name + "/.") // not a pipe that came in its place, which would be waited for
	if err != nil {
		t.tooDeep = t.tooDeep || noDescriptor(err)
		return
	}
	t.folder(inside, depth+1)
	_ = inside.Close()
}

func noDescriptor(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func (t *tally) add(info os.FileInfo) {
	s := info.Sys().(*syscall.Stat_t)
	if s.Nlink > 1 && !info.IsDir() {
		at := inode{s.Dev, s.Ino}
		if t.linked[at] {
			return
		}
		t.linked[at] = true
	}
	t.sum += max(s.Blocks*512, block)
}

// restore gives a folder its mode back, unless the program has given it another one.
func restore(dir *os.Root, name string, mode os.FileMode) {
	if info, err := dir.Lstat(name); err == nil && info.Mode() == mode|0o700 {
		_ = dir.Chmod(name, mode)
	}
}
