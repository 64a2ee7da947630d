package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
)

const (
	maxUploadName = 120
	// maxNumbered bounds how many files of one name are told apart by numbers.
	maxNumbered = 1000
)

// SaveFile puts what a person sends into a workspace, under a name of its own: no file is
// ever overwritten. The error is Invalid if the file is too large or the workspace full, and
// Full if the disk is; then no part of the file is kept.
func (r *Registry) SaveFile(ctx context.Context, conversationID, name string, content io.Reader) (agent.WorkspaceFile, error) {
	f, err := r.saveFile(ctx, conversationID, name, content)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = agent.Wrap(agent.Full, err, "The disk with the files is full, so this one was not kept. Make room, or send a smaller one.")
	}
	return f, err
}

func (r *Registry) saveFile(ctx context.Context, conversationID, name string, content io.Reader) (agent.WorkspaceFile, error) {
	root, err := r.spaces.open(conversationID)
	if err != nil {
		return agent.WorkspaceFile{}, forPeople(err)
	}
	defer func() { _ = root.Close() }()
	if err := r.room(ctx, root); err != nil {
		return agent.WorkspaceFile{}, err
	}
	all, err := os.OpenRoot(r.spaces.dir)
	if err != nil {
		return agent.WorkspaceFile{}, err
	}
	defer func() { _ = all.Close() }()
	draft := path.Join(arriving, rand.Text())
	written, err := r.receive(all, draft, content)
	if err != nil {
		return agent.WorkspaceFile{}, errors.Join(err, remove(all, draft))
	}
	if name, err = moveIn(all, draft, fileName(conversationID), uploadName(name)); err != nil {
		return agent.WorkspaceFile{}, errors.Join(err, remove(all, draft))
	}
	if err := r.room(ctx, root); err != nil {
		return agent.WorkspaceFile{}, errors.Join(err, remove(root, name))
	}
	return agent.WorkspaceFile{Path: name, Bytes: written}, nil
}

// arriving is the folder, beside those of the conversations, in which files are until
// they have arrived completely: nobody takes a part of one for the whole, not even where
// the process is killed meanwhile.
const arriving = ".arriving"

// prepareArrivals forgets what had not arrived when the process before this one ended.
func (w workspaces) prepareArrivals() error {
	folder := filepath.Join(w.dir, arriving)
	return errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700))
}

// receive writes a file as it arrives. The error is Invalid if it is too large, or breaks off.
func (r *Registry) receive(all *os.Root, draft string, content io.Reader) (written int64, err error) {
	f, err := all.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	written, err = io.Copy(f, io.LimitReader(content, r.files.File+1))
	switch {
	case err != nil:
		err = agent.Wrap(agent.Invalid, err, "The file did not arrive completely. Send it again.")
	case written > r.files.File:
		err = agent.InvalidField("file", "is too large; at most %s are allowed", megabytes(r.files.File))
	}
	return written, errors.Join(err, f.Close())
}

// moveIn moves a file into the folder of a conversation, under a name that nothing has. It
// gets the name as a second one, which is there with the whole file or not at all. What a
// process that is killed then leaves of the first one is removed at the next start.
func moveIn(all *os.Root, draft, folder, name string) (string, error) {
	free, err := firstFree(name, func(free string) error { return all.Link(draft, path.Join(folder, free)) })
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		return moveInByRename(all, draft, folder, name)
	}
	if err != nil {
		return "", err
	}
	return free, all.Remove(draft)
}

// moveInByRename is moveIn for file systems on which a file has one name.
func moveInByRename(all *os.Root, draft, folder, name string) (string, error) {
	free, err := firstFree(name, func(free string) error {
		place, err := all.OpenFile(path.Join(folder, free), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return place.Close()
	})
	if err != nil {
		return "", err
	}
	return free, all.Rename(draft, path.Join(folder, free))
}

// room answers Invalid where a workspace is full.
func (r *Registry) room(ctx context.Context, root *os.Root) error {
	used, cut := size(ctx, root)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case cut:
		return agent.InvalidField("file", "has no room: this chat has more than %d files", maxWalked)
	case used > r.files.Workspace:
		return agent.InvalidField("file", "has no room: the files of a chat may take %s", megabytes(r.files.Workspace))
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.4g MB", float64(n)/(1<<20)) }

// firstFree takes the first name that nothing has, with a number where it is taken.
func firstFree(name string, take func(free string) error) (string, error) {
	ext := extension(name)
	for n := 1; n <= maxNumbered; n++ {
		free := name
		if n > 1 {
			free = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
		}
		if err := take(free); !errors.Is(err, fs.ErrExist) {
			return free, err
		}
	}
	return "", agent.InvalidField("file", "has a name that is taken; rename it")
}

// extension is what a name has behind its last dot, and none where that is its first
// character: .env is a name.
func extension(name string) string { return path.Ext(strings.TrimLeft(name, ".")) }

// uploadName makes a plain file name of what a browser calls a file.
func uploadName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, "_"), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/<>:"|?*`, r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name)
	name = strings.TrimSpace(name)
	if isOption(name) {
		name = "_" + name[1:]
	}
	if strings.Trim(name, ".") == "" {
		return "file"
	}
	ext := extension(name)
	if len(ext) > 20 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > maxUploadName {
		_, n := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-n]
	}
	return stem + ext
}
