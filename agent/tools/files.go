package tools

import (
	"errors"
	"os"
	"path/filepath"
)

// Files are what tools have left under a data folder, for programs that run none.
type Files struct{ DataDir string }

// RemoveFiles is that of a Registry.
func (f Files) RemoveFiles(conversationID string) error {
	return removeFiles(workspaces{dir: filepath.Join(f.DataDir, "workspaces")}, &outputs{dir: filepath.Join(f.DataDir, "outputs")}, conversationID)
}

func removeFiles(spaces workspaces, out *outputs, conversationID string) error {
	return errors.Join(
		os.RemoveAll(spaces.path(conversationID)),
		os.RemoveAll(filepath.Join(out.dir, fileName(conversationID))),
	)
}
