package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"testing"
)

// foundFile is what a test looks at in a file.
type foundFile struct {
	mode    fs.FileMode
	content string // or where a link leads
}

// filesBelow describes everything below a folder by its path, however deep it lies and whatever
// its mode is.
func filesBelow(t *testing.T, name string) map[string]foundFile {
	t.Helper()
	root, err := os.OpenRoot(name)
	must(t, err)
	found := map[string]foundFile{}
	describeFiles(t, root, "", found)
	return found
}

func describeFiles(t *testing.T, dir *os.Root, at string, found map[string]foundFile) {
	t.Helper()
	defer func() { _ = dir.Close() }()
	for _, name := range entriesOf(t, dir) {
		info, err := dir.Lstat(name)
		if os.IsNotExist(err) {
			continue
		}
		must(t, err)
		f := foundFile{mode: info.Mode()}
		switch {
		case info.IsDir():
			found[at+name] = f
			back := readable(t, dir, name, info, 0o700)
			below, err := dir.OpenRoot(name)
			must(t, err)
			describeFiles(t, below, at+name+"/", found)
			back()
			continue
		case info.Mode().Type() == fs.ModeSymlink:
			f.content, err = dir.Readlink(name)
			must(t, err)
		case info.Mode().IsRegular() && info.Size() < 1<<30:
			back := readable(t, dir, name, info, 0o600)
			f.content = summary(t, dir, name)
			back()
		}
		found[at+name] = f
	}
}

// readable gives the owner what a mode lacks, and returns what takes it back.
func readable(t *testing.T, dir *os.Root, name string, info fs.FileInfo, mode fs.FileMode) (back func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		return func() {}
	}
	must(t, dir.Chmod(name, info.Mode().Perm()|mode))
	return func() { must(t, dir.Chmod(name, info.Mode().Perm())) }
}

// summary is a short content itself, and a fingerprint of a long one.
func summary(t *testing.T, dir *os.Root, name string) string {
	t.Helper()
	f, err := dir.Open(name)
	must(t, err)
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	head, err := io.ReadAll(io.LimitReader(io.TeeReader(f, sum), 1000))
	must(t, err)
	n, err := io.Copy(sum, f)
	must(t, err)
	if n == 0 {
		return string(head)
	}
	return fmt.Sprintf("%d bytes %x", n+int64(len(head)), sum.Sum(nil))
}

// entriesOf are the names of what is in a folder.
func entriesOf(t *testing.T, dir *os.Root) []string {
	t.Helper()
	list, err := dir.Open(".")
	must(t, err)
	names, err := list.Readdirnames(-1)
	must(t, errors.Join(err, list.Close()))
	return names
}
