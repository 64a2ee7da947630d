package histories

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fusebox/agent"
)

// Bounds of what is read.
const (
	maxFile  = 64 << 20
	maxFiles = 100_000
)

// Labels of a case.
const (
	Loud  = "loud"  // the breakers have to speak
	Quiet = "quiet" // they must not
)

// Case is a history with the verdict that is expected of the breakers.
type Case struct {
	ID, Kind, File string
	// Label is Loud, Quiet, or empty where nobody has said.
	Label string
	// Level is the least verdict that counts.
	Level agent.Level
	History
}

// Cases are the cases of a file or a folder, which are read one at a time.
type Cases struct {
	// Tools are what the index declares, by name: polling, read, write, exec, network.
	Tools map[string]string

	root    *os.Root
	entries []entry
}

// Open finds the cases of a path: those of a folder's index.json, every history
// in a folder without one, or those of one file. Invalid names the file.
func Open(path string) (*Cases, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	dir, file := path, ""
	if !info.IsDir() {
		dir, file = filepath.Split(path)
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return nil, cannotRead(path, err)
	}
	c := &Cases{root: root, entries: []entry{{File: file}}}
	if info.IsDir() {
		err = c.find()
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return c, nil
}

// Close closes the folder.
func (c *Cases) Close() error { return c.root.Close() }

// path is where a file of the cases is, for people.
func (c *Cases) path(file string) string { return c.root.Name() + string(filepath.Separator) + file }

func cannotRead(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return agent.Errorf(agent.Invalid, "%s cannot be read: %v", path, err)
}

// Each reads the cases in their order. format is as in Read. Invalid names the
// file and the position in it.
func (c *Cases) Each(format string, do func(Case) error) error {
	for _, e := range c.entries {
		data, err := c.file(e.File)
		if err != nil {
			return cannotRead(c.path(e.File), err)
		}
		all, err := Read(data, format)
		if err != nil {
			return agent.Errorf(agent.Invalid, "%s: %s", c.path(e.File), agent.MessageOf(err))
		}
		if e.Conversation > len(all) {
			return agent.Errorf(agent.Invalid, "%s: case %q: the file has %d conversations, not %d", c.path(e.File), e.ID, len(all), e.Conversation)
		}
		for i, h := range all {
			if e.Conversation != 0 && e.Conversation != i+1 {
				continue
			}
			if err := do(e.of(h, i+1, len(all))); err != nil {
				return err
			}
		}
	}
	return nil
}

// of is the case of one history of the file.
func (e entry) of(h History, n, all int) Case {
	c := Case{ID: e.ID, Kind: e.Kind, File: e.File, Label: e.Label, Level: levels[e.Level], History: h}
	if c.ID == "" {
		c.ID = e.File
	}
	if all > 1 && (e.Conversation == 0 || e.ID == "") {
		c.ID = fmt.Sprintf("%s#%d", c.ID, n)
	}
	if c.Kind == "" {
		c.Kind = "run"
	}
	if strings.HasPrefix(c.Kind, "text") {
		c.Lines = pieces(c.Lines, c.ID)
	}
	return c
}

func (c *Cases) file(name string) ([]byte, error) {
	f, err := c.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	return data, err
}
