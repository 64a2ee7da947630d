package tools

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Files are what tools have left under a data folder.
type Files struct{ DataDir string }

// RemoveFiles removes what a conversation's tools have left: its workspace and its
// kept outputs. A conversation without files is none that fails.
func (f Files) RemoveFiles(conversationID string) error {
	var errs []error
	for _, folder := range Folders() {
		errs = append(errs, f.remove(folder, fileName(conversationID)))
	}
	return errors.Join(errs...)
}

func (f Files) remove(folder, name string) error {
	dir, err := os.OpenRoot(filepath.Join(f.DataDir, folder))
	if err != nil {
		return unlessGone(err)
	}
	defer func() { _ = dir.Close() }()
	return removeTree(dir, name)
}

// Owners calls each with the ids of conversations that have files, some at a time and
// some twice, until one fails. What people have put beside their folders is among them.
func (f Files) Owners(each func(conversationIDs []string) error) error {
	for _, folder := range Folders() {
		if err := unlessGone(f.ownersIn(folder, each)); err != nil {
			return err
		}
	}
	return nil
}

func (f Files) ownersIn(folder string, each func([]string) error) (err error) {
	dir, err := os.Open(filepath.Join(f.DataDir, folder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	for {
		found, err := dir.ReadDir(removeListed)
		if len(found) == 0 {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		ids := make([]string, len(found))
		for i, d := range found {
			ids[i] = d.Name()
		}
		if err := each(ids); err != nil {
			return err
		}
	}
}
