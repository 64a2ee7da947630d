package histories

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/agent/guards"
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
	if at, ok := errors.AsType[*fs.PathError](err); ok {
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

func (e entry) of(h History, n, all int) Case {
	c := Case{ID: cmp.Or(e.ID, e.File), Kind: cmp.Or(e.Kind, "run"), File: e.File, Label: e.Label, Level: levels[e.Level], History: h}
	if all > 1 && (e.Conversation == 0 || e.ID == "") {
		c.ID = fmt.Sprintf("%s#%d", c.ID, n)
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

// indexFile is the file of a folder that says what its histories are.
const indexFile = "index.json"

// levels are the names of levels in an index, and as verdicts have them.
var levels = map[string]agent.Level{
	"": agent.Pause, "warning": agent.Warn, "pause": agent.Pause, "critical": agent.Pause, "stop": agent.Stop, "breaker": agent.Stop,
}

// entry is a case of an index.
type entry struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Level string `json:"level"`
	File  string `json:"file"`
	// Conversation picks one of several in the file, counted from 1; 0 is all.
	Conversation int `json:"conversation"`
}

func (c *Cases) find() error {
	data, err := c.file(indexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c.walk()
	}
	if err != nil {
		return cannotRead(c.path(indexFile), err)
	}
	var index struct {
		Tools map[string]string `json:"tools"`
		Cases []entry           `json:"cases"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return agent.Errorf(agent.Invalid, "%s: is not an index of cases: %v", c.path(indexFile), err)
	}
	for i, e := range index.Cases {
		if problem := e.problem(); problem != "" {
			return agent.Errorf(agent.Invalid, "%s: case %d: %s", c.path(indexFile), i+1, problem)
		}
	}
	c.Tools, c.entries = index.Tools, index.Cases
	return nil
}

func (e entry) problem() string {
	_, known := levels[e.Level]
	switch {
	case e.File == "":
		return `the field "file" is empty; name the file of the history`
	case e.Label != "" && e.Label != Loud && e.Label != Quiet:
		return fmt.Sprintf("the label %q is not known; allowed: loud, quiet", e.Label)
	case !known:
		return fmt.Sprintf("the level %q is not known; allowed: warning, pause, stop", e.Level)
	case e.Conversation < 0:
		return "the conversation is counted from 1"
	}
	return ""
}

// endings are those of the files that are read in a folder without an index.
var endings = []string{".jsonl", ".ndjson", ".json", ".traj"}

func (c *Cases) walk() error {
	c.entries = nil
	err := fs.WalkDir(c.root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return cannotRead(c.path(path), err)
		}
		if d.Type().IsRegular() && slices.Contains(endings, filepath.Ext(path)) {
			c.entries = append(c.entries, entry{File: path})
		}
		if len(c.entries) > maxFiles {
			return agent.Errorf(agent.Invalid, "%s: a folder has at most %d histories", c.path(path), maxFiles)
		}
		return nil
	})
	if err == nil && len(c.entries) == 0 {
		return agent.Errorf(agent.Invalid, "%s has no histories: no file ends in %s", c.root.Name(), strings.Join(endings, ", "))
	}
	return err
}

// Sizes of the pieces in which a text is streamed, in characters.
const (
	minPiece = 5
	maxPiece = 20
)

// pieces cuts the texts of a history as a model streams them. The same name cuts
// them in the same places.
func pieces(lines []guards.Line, name string) []guards.Line {
	seed := fnv.New64a()
	_, _ = io.WriteString(seed, name) // a hash takes everything
	random := rand.New(rand.NewPCG(seed.Sum64(), 0))
	var cut []guards.Line
	for _, l := range lines {
		if l.Text == nil {
			cut = append(cut, l)
			continue
		}
		for rest := []rune(*l.Text); len(rest) > 0; {
			n := min(minPiece+random.IntN(maxPiece-minPiece+1), len(rest))
			piece := string(rest[:n])
			cut = append(cut, guards.Line{Text: &piece, At: l.At})
			rest = rest[n:]
		}
	}
	return cut
}
