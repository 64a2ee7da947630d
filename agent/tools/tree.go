package tools

import (
	"context"
	"os"
	"path"
	"strings"
)

// tree walks the files of a workspace in the order of their names, within a bound. It
// follows no links to folders.
type tree struct {
	root *os.Root
	// hidden says to visit hidden files and folders as well.
	hidden bool
	// left is how many files may be visited yet; cut says that there were more.
	left int
	cut  bool
}

// walk visits the files below a folder until visit returns false. What cannot be looked at
// is left out.
func (t *tree) walk(ctx context.Context, folder string, visit func(name string) bool) bool {
	entries, err := readFolder(t.root, folder)
	if err != nil {
		return true
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case ctx.Err() != nil:
			return false
		case !t.hidden && strings.HasPrefix(e.Name(), "."):
			continue
		case t.left == 0:
			t.cut = true
			return false
		case e.IsDir() && !t.walk(ctx, name, visit):
			return false
		case e.IsDir():
			continue
		}
		t.left--
		if !visit(name) {
			return false
		}
	}
	return true
}

// namesHidden reports whether a path or pattern names something hidden.
func namesHidden(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." || strings.Contains(name, "/.")
}
