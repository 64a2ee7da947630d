package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"fusebox/agent"
)

// files are the database's files as this process has opened them. Another program
// can take them away under it: one that opens and closes the database while this
// process has lost its locks deletes the write-ahead log, and what is written to
// the deleted one is gone with the process.
type files struct {
	opened []openedFile
	// lock is the descriptor of the database that held this process's lock when it was
	// opened, "" where the kernel does not tell.
	lock string
	// broken is the first fault that was found. It stays.
	broken atomic.Pointer[agent.Error]
}

type openedFile struct {
	path string
	info fs.FileInfo
}

// fileSuffixes are those of SQLite's files beside the database.
var fileSuffixes = []string{"", "-wal", "-shm"}

// lookAtFiles notes which files stand behind the database's paths now. They are only
// looked at: to open and close one of them would drop this process's locks.
func lookAtFiles(path string) (*files, error) {
	f := &files{}
	for _, suffix := range fileSuffixes {
		info, err := os.Stat(path + suffix)
		if err != nil {
			return nil, fmt.Errorf("look at the database's files: %w", err)
		}
		f.opened = append(f.opened, openedFile{path + suffix, info})
	}
	f.lock, _ = lockedAt(f.opened[0].info) // what cannot be read is not watched
	return f, nil
}

// owns reports whether a file is one of the database's.
func (f *files) owns(info fs.FileInfo) bool {
	for _, o := range f.opened {
		if os.SameFile(info, o.info) {
			return true
		}
		if now, err := os.Stat(o.path); err == nil && os.SameFile(info, now) {
			return true
		}
	}
	return false
}

// inPlace reports whether the files are still those that were opened. It costs
// a few microseconds.
func (f *files) inPlace() error {
	if e := f.broken.Load(); e != nil {
		return e
	}
	for _, o := range f.opened {
		now, err := os.Stat(o.path)
		switch {
		case err != nil:
			return f.fail(fmt.Errorf("%s: %w", o.path, err))
		case !os.SameFile(now, o.info):
			return f.fail(fmt.Errorf("%s is another file than the one that was opened", o.path))
		}
	}
	return nil
}

// lockLost reports whether the kernel tells that this process has no lock any more. That it
// tells nothing, as where too many files are open, is no loss.
func (f *files) lockLost() bool {
	database := f.opened[0].info
	held, err := holdsLock(f.lock, database)
	if f.lock == "" || held || err != nil {
		return false
	}
	at, err := lockedAt(database)
	return at == "" && err == nil
}

// intact is inPlace, and whether this process still has its locks.
func (f *files) intact() error {
	if err := f.inPlace(); err != nil || !f.lockLost() {
		return err
	}
	return f.fail(fmt.Errorf("the locks on %s are gone", f.opened[0].path))
}

func (f *files) fail(because error) error {
	e := &agent.Error{
		Code: agent.Unavailable, Err: because,
		Message: "Another program has taken the database's files away from this server, so it writes nothing any more. Copy the data folder, then restart the server.",
	}
	f.broken.CompareAndSwap(nil, e)
	return f.broken.Load()
}
