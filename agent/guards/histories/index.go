package histories

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"fusebox/agent"
)

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
