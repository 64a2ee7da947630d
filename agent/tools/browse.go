package tools

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"fusebox/agent"
)

const (
	// maxListed bounds how many files people are shown of a workspace.
	maxListed = 1000
	// maxZip bounds what is sent as one archive.
	maxZip = 1 << 30
)

// ListFiles lists the files of a workspace for people, hidden ones too.
func (r *Registry) ListFiles(ctx context.Context, conversationID string) (agent.WorkspaceListing, error) {
	l := agent.WorkspaceListing{Files: []agent.WorkspaceFile{}, LimitBytes: r.files.Workspace}
	root, err := r.spaces.open(conversationID)
	if err != nil {
		return l, forPeople(err)
	}
	defer func() { _ = root.Close() }()
	all := &tree{root: root, hidden: true, left: maxWalked}
	all.walk(ctx, ".", func(name string) bool {
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return true // gone by now, or a link
		}
		l.UsedBytes += info.Size()
		if len(l.Files) < maxListed {
			l.Files = append(l.Files, agent.WorkspaceFile{Path: name, Bytes: info.Size(), ModifiedAt: info.ModTime().UTC()})
		} else {
			l.More = true
		}
		return true
	})
	l.More = l.More || all.cut
	return l, ctx.Err()
}

// OpenFile opens a file of a workspace for people. NotFound where there is none.
func (r *Registry) OpenFile(conversationID, name string) (io.ReadSeekCloser, agent.WorkspaceFile, error) {
	root, clean, err := r.spaces.reach(conversationID, name)
	if err != nil {
		return nil, agent.WorkspaceFile{}, forPeople(err)
	}
	defer func() { _ = root.Close() }()
	f, err := r.spaces.openFile(root, clean)
	if err != nil {
		return nil, agent.WorkspaceFile{}, forPeople(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, agent.WorkspaceFile{}, errors.Join(forPeople(err), f.Close())
	}
	return f, agent.WorkspaceFile{Path: clean, Bytes: info.Size(), ModifiedAt: info.ModTime().UTC()}, nil
}

// ZipFiles writes the files of a workspace as an archive. Before it writes anything it
// answers Conflict where they are too many or too large.
func (r *Registry) ZipFiles(ctx context.Context, conversationID string, w io.Writer) error {
	root, err := r.spaces.open(conversationID)
	if err != nil {
		return forPeople(err)
	}
	defer func() { _ = root.Close() }()
	if used, cut := size(ctx, root); cut || used > maxZip {
		return agent.Errorf(agent.Conflict, "This workspace is too large for one archive. Download its files one by one.")
	}
	archive := zip.NewWriter(w)
	files := &tree{root: root, hidden: true, left: maxWalked}
	files.walk(ctx, ".", func(name string) bool {
		err = r.pack(archive, root, name)
		return err == nil
	})
	return errors.Join(err, ctx.Err(), archive.Close())
}

// pack adds one file to an archive. What people could not open alone is left out.
func (r *Registry) pack(archive *zip.Writer, root *os.Root, name string) error {
	f, err := r.spaces.openFile(root, name)
	if err != nil {
		return nil //nolint:nilerr // a link out, or a file that is gone by now
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	into, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: info.ModTime()})
	if err != nil {
		return err
	}
	_, err = io.Copy(into, io.LimitReader(f, info.Size()))
	return err
}

// size is what the files of a workspace take; cut says that there are too many to count.
func size(ctx context.Context, root *os.Root) (used int64, cut bool) {
	all := &tree{root: root, hidden: true, left: maxWalked}
	all.walk(ctx, ".", func(name string) bool {
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() {
			used += info.Size()
		}
		return true
	})
	return used, all.cut
}

// namesNothing reports whether a path can be that of no file: it is too long, or leads
// through a file or in circles.
func namesNothing(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// forPeople says why a file cannot be had, without where it is.
func forPeople(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errOutside), isEscape(err), errors.Is(err, errNotRegular), errors.Is(err, errShared), errors.Is(err, errLinks), namesNothing(err):
		return agent.Wrap(agent.NotFound, err, "There is no such file in this chat.")
	case errors.Is(err, fs.ErrPermission):
		return agent.Wrap(agent.Forbidden, err, "The server may not read this file. Have its permissions changed in the chat.")
	default:
		return err
	}
}
