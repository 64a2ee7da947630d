package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"fusebox/agent"
)

// workspaces are the folders in which conversations work, one each.
type workspaces struct {
	dir string
	// samples are put into each new folder; nil for none.
	samples fs.FS
	// serverFile reports whether a file is one that the server has open.
	serverFile func(fs.FileInfo) bool
	// turns are those of the runs that share a workspace.
	turns *turns
}

// reach opens a conversation's folder, making it at its first use, and cleans
// the path that the model wrote. Everything is reached through the returned
// root, which no path and no link leaves.
func (w workspaces) reach(conversationID, name string) (root *os.Root, clean string, err error) {
	if clean, err = within(name); err != nil {
		return nil, "", err
	}
	root, err = w.open(conversationID)
	return root, clean, err
}

// open opens a conversation's folder. A command may have put a link in its
// place, which would lead the file tools wherever it points: it is refused.
func (w workspaces) open(conversationID string) (*os.Root, error) {
	all, err := os.OpenRoot(w.dir)
	if err != nil {
		return nil, fmt.Errorf("open workspaces: %w", err)
	}
	defer func() { _ = all.Close() }()
	name := fileName(conversationID)
	if err := w.make(all, name); err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	if info, err := all.Lstat(name); err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	} else if !info.IsDir() {
		return nil, errOutside
	}
	return all.OpenRoot(name + "/.") // not a pipe that came in its place, which would be waited for
}

// make makes a conversation's folder where there is none, with the samples in it.
func (w workspaces) make(all *os.Root, name string) error {
	switch err := all.Mkdir(name, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil || w.samples == nil:
		return err
	}
	root, err := all.OpenRoot(name)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(w.samples, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir():
			return root.Mkdir(name, 0o700)
		}
		content, err := fs.ReadFile(w.samples, name)
		if err != nil {
			return err
		}
		return root.WriteFile(name, content, 0o600)
	})
}

func (w workspaces) path(conversationID string) string {
	return filepath.Join(w.dir, fileName(conversationID))
}

// within cleans a path that the model wrote; what leads out is refused.
func within(name string) (string, error) {
	if path.IsAbs(name) || strings.Contains(name, "\x00") {
		return "", errOutside
	}
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", errOutside
	}
	return clean, nil
}

var errOutside = errors.New("the path leads out of the workspace; use a path relative to it")

var errOption = errors.New(`the name of a new file or folder may not begin with "-": commands would take it for an option; use another name`)

// isOption reports whether a part of a path would be an option where a command is given it by a
// pattern such as *.
func isOption(name string) bool { return strings.HasPrefix(name, "-") || strings.Contains(name, "/-") }

// fileFailure words an error of the file system without showing where the
// workspace is.
func fileFailure(name string, err error) agent.ToolResult {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.Is(err, errOutside), isEscape(err):
		return failed(agent.ErrPathOutside, "%s: %v", name, errOutside)
	case errors.Is(err, errOption):
		return failed(agent.ErrInvalidParams, "%s: %v.", name, errOption)
	case errors.Is(err, fs.ErrNotExist):
		return failed(agent.ErrFileNotFound, "%s does not exist. Use list_files to see what is there.", name)
	case errors.Is(err, errShared):
		return failed(agent.ErrPermission, "%s cannot be accessed: %v.", name, errShared)
	case errors.Is(err, fs.ErrPermission):
		return failed(agent.ErrPermission, "%s cannot be accessed.", name)
	case errors.As(err, &at):
		return failed(agent.ErrExecution, "%s: %v", name, at.Err)
	case errors.As(err, &link):
		return failed(agent.ErrExecution, "%s: %v", name, link.Err)
	default:
		return failed(agent.ErrExecution, "%s: %v", name, err)
	}
}

// untouched is the result of a call that was cancelled before it touched its file.
func untouched(name string) agent.ToolResult {
	return failed(agent.ErrCancelled, "%s was left as it is.", name)
}

// isEscape recognises os.Root's refusal, which has no exported error.
func isEscape(err error) bool {
	return err != nil && strings.Contains(err.Error(), "path escapes from parent")
}
