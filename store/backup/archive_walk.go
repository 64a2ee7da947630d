package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"syscall"

	"fusebox/agent"
)

// Files are folders below a root, as a backup takes them along. The zero value is none.
type Files struct {
	Root    *os.Root
	Folders []string
}

// printable is a name as one can read it: quoted where that is not what it is.
func printable(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// Bounds of what a backup takes along.
const (
	// maxArchived is the largest file, in bytes: each one is a value of one row, in
	// memory while it is written.
	maxArchived = 512 << 20
	// maxDepth is how many folders deep. Each has a descriptor while it is walked.
	maxDepth = 256
	// maxNamed is how many files that are left out are named.
	maxNamed = 1000
	// maxNames is how many files with several names are kept as one each.
	maxNames = 100_000
	// listed is how many entries of a folder are in memory at a time.
	listed = 1000
)

// archiver puts files into the archive that a transaction writes.
type archiver struct {
	add  func(context.Context, entry) (added bool, err error)
	made *agent.Backup
	// names are those of files that have several, the first of each.
	names map[fileID]string
}

// fileID tells a file from others while a backup is made: the number of one that was
// removed is given to the next.
type fileID struct {
	dev, ino       uint64
	size, modified int64
}

// idOf is that of a file with several names; false for others.
func idOf(info fs.FileInfo) (id fileID, several bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Nlink < 2 {
		return id, false
	}
	return fileID{uint64(stat.Dev), stat.Ino, info.Size(), info.ModTime().UnixNano()}, true //nolint:unconvert // it differs from system to system
}

// entry is a row of an archive. Content is nil for what is not a regular file; target
// is where a symbolic link leads, same the name under which a file is there already.
type entry struct {
	name    string
	info    fs.FileInfo
	content []byte
	target  string
	same    string
}

// folder takes a folder along with what is in it. What cannot be read is left out and
// named; an error is one of the archive. Nothing leads out of the parent: where a
// program puts a link in the place of a folder meanwhile, it leads at most to another
// folder beside it.
func (a *archiver) folder(ctx context.Context, parent *os.Root, base, name string, depth int) error {
	if depth > maxDepth {
		a.leave(name, agent.MissingTooDeep, "")
		return nil
	}
	info, err := parent.Lstat(base)
	if err != nil {
		return a.skip(name, err)
	}
	defer a.mend(parent, base, info, 0o500)()
	dir, err := parent.OpenRoot(base + "/.") // what stands before a slash is opened as a folder, or not at all: a pipe in its place would be waited for
	if err != nil {
		return a.skip(name, err)
	}
	defer func() { _ = dir.Close() }()
	if added, err := a.add(ctx, entry{name: name, info: info}); err != nil || !added {
		return err
	}
	return a.entries(ctx, dir, name, depth)
}

// entries takes along what is in a folder.
func (a *archiver) entries(ctx context.Context, dir *os.Root, name string, depth int) error {
	list, err := dir.Open(".")
	if err != nil {
		return a.skip(name, err)
	}
	defer func() { _ = list.Close() }()
	for {
		found, err := list.ReadDir(listed)
		for _, d := range found {
			if err := a.one(ctx, dir, d, path.Join(name, d.Name()), depth); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return a.skip(name, err)
		}
	}
}

func (a *archiver) one(ctx context.Context, dir *os.Root, d fs.DirEntry, name string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch d.Type() {
	case fs.ModeDir:
		return a.folder(ctx, dir, d.Name(), name, depth+1)
	case fs.ModeSymlink:
		return a.link(ctx, dir, d, name)
	case 0:
		return a.file(ctx, dir, d.Name(), name)
	default:
		if len(a.made.Empty) < maxNamed {
			a.made.Empty = append(a.made.Empty, agent.MissingFile{Name: printable(name), Why: agent.MissingNoFile})
		}
		return nil
	}
}

func (a *archiver) link(ctx context.Context, dir *os.Root, d fs.DirEntry, name string) error {
	target, err := dir.Readlink(d.Name())
	if err != nil {
		return a.skip(name, err)
	}
	info, err := d.Info()
	if err != nil {
		return a.skip(name, err)
	}
	_, err = a.add(ctx, entry{name: name, info: info, target: target})
	return err
}

func (a *archiver) file(ctx context.Context, dir *os.Root, base, name string) error {
	if info, err := dir.Lstat(base); err == nil {
		if id, several := idOf(info); several && a.names[id] != "" {
			_, err := a.addFile(ctx, entry{name: name, same: a.names[id]})
			return err
		}
	}
	content, info, err := a.read(dir, base)
	switch {
	case errors.Is(err, errTooLarge):
		a.leave(name, agent.MissingTooLarge, "")
		return nil
	case err != nil:
		return a.skip(name, err)
	}
	added, err := a.addFile(ctx, entry{name: name, info: info, content: content})
	if id, several := idOf(info); added && several && len(a.names) < maxNames {
		a.names[id] = name
	}
	return err
}

func (a *archiver) addFile(ctx context.Context, e entry) (added bool, err error) {
	if added, err = a.add(ctx, e); added {
		a.made.Files++
	}
	return added, err
}

var errTooLarge = errors.New("the file is too large")

// read reads a regular file, whatever its mode is. It waits for nobody: a program may
// put a pipe in its place.
func (a *archiver) read(dir *os.Root, base string) ([]byte, fs.FileInfo, error) {
	info, err := dir.Lstat(base)
	if err != nil {
		return nil, nil, err
	}
	defer a.mend(dir, base, info, 0o400)()
	f, err := dir.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	switch now, err := f.Stat(); {
	case err != nil:
		return nil, nil, err
	case !now.Mode().IsRegular():
		return nil, nil, errors.New("it is no regular file any more")
	case now.Size() > maxArchived:
		return nil, nil, errTooLarge
	}
	content, err := io.ReadAll(io.LimitReader(f, maxArchived+1))
	if err == nil && len(content) > maxArchived { // it has grown
		err = errTooLarge
	}
	return content, info, err
}

// mend gives the owner rights that a mode lacks, and returns what takes them back.
// Where that fails, reading fails too, and says why.
func (a *archiver) mend(dir *os.Root, base string, info fs.FileInfo, needed fs.FileMode) (back func()) {
	mode := info.Mode().Perm()
	if mode&needed == needed || dir.Chmod(base, mode|needed) != nil {
		return func() {}
	}
	return func() { _ = dir.Chmod(base, mode) }
}

// leave notes what is left out.
func (a *archiver) leave(name string, why agent.MissingReason, detail string) {
	if len(a.made.Missing) == maxNamed {
		a.made.More++
		return
	}
	a.made.Missing = append(a.made.Missing, agent.MissingFile{Name: printable(name), Why: why, Detail: detail})
}

// skip leaves out what could not be read, unless it was removed meanwhile.
func (a *archiver) skip(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is said already
	}
	a.leave(name, agent.MissingUnreadable, err.Error())
	return nil
}
