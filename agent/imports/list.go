package imports

import (
	"errors"
	"io"
	"os"

	"fusebox/agent"
)

func (u *unpacking) list(file *os.File) ([]entry, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fault{err}
	}
	head := make([]byte, bookmarksWithin)
	n, _ := file.ReadAt(head, 0) // less, where it has less
	if !isArchive(head[:n]) {
		marks, err := readBookmarks(file)
		if err != nil {
			return nil, err
		}
		return marks.all(u.in.Fetch), nil
	}
	a := &archive{left: agent.MaxImportUnpacked, keep: u.keepPart}
	err = a.add(file, info.Size(), false)
	a.tidy(u.in.Source)
	return a.entries, err
}

// problemOf says why the files of an import could not be found. An error is not the import's.
func problemOf(entries []entry, err error) (agent.ImportProblem, error) {
	if _, ours := errors.AsType[fault](err); ours {
		return "", err
	}
	problem := agent.ImportProblem("")
	switch {
	case errors.Is(err, errUnpacked), errors.Is(err, errEntry):
		problem = agent.ImportTooLarge
	case err != nil:
		problem = agent.ImportBroken
	case len(entries) == 0:
		problem = agent.ImportEmpty
	}
	return problem, nil
}

// keepPart has an archive in an archive on the disk until the import rests.
func (u *unpacking) keepPart(content io.Reader) (io.ReaderAt, int64, error) {
	r, err := u.Shelf.ReceiveImport(content)
	if agent.CodeOf(err) == agent.Full {
		err = fault{err}
	}
	if err != nil {
		return nil, 0, err
	}
	f, err := u.Shelf.Open(r.File)
	if err != nil {
		return nil, 0, fault{errors.Join(err, u.Shelf.Drop(r))}
	}
	u.opened = append(u.opened, func() error { return errors.Join(f.Close(), u.Shelf.Drop(r)) })
	return f, r.Bytes, nil
}
