package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"fusebox/agent"
	"fusebox/agent/shell"
)

// Bounds of what is looked at before a command runs. Files beyond are told apart by
// their size and times, or as one.
const (
	maxSeen      = 300      // files that are listed one by one
	maxWalked    = 20_000   // files of a workspace
	maxSeenBytes = 16 << 20 // content that is read
	otherFiles   = "another file of the workspace"
)

// seer finds out which files of a workspace decide what a command does.
type seer struct {
	spaces workspaces
	root   *os.Root
	dir    string            // the workspace's own path
	writes map[string]string // what earlier calls will write: path -> hash
	all    []string          // the files of the workspace, once they are needed
	read   int64
}

// seen are the files that decide what a command does, as they will be when the calls
// before it have run; decide says that the command's text alone does not say it.
func (w workspaces) seen(in agent.ToolInput, command string) (files []agent.SeenFile, decide bool) {
	named := shell.Read(command).Files()
	root, err := w.open(in.ConversationID)
	if err != nil {
		return nil, named.Decide
	}
	defer func() { _ = root.Close() }()
	s := &seer{spaces: w, root: root, dir: w.path(in.ConversationID), writes: map[string]string{}}
	for _, before := range in.Before {
		for _, f := range before.Writes {
			s.writes[f.Path] = f.Hash
		}
	}
	wide := map[string]bool{} // path -> whether nothing names it
	for _, p := range s.named(named.Words) {
		wide[p] = false
	}
	s.project(wide, named)
	return s.list(wide), named.Decide
}

// named are the files that words lead to, seen from the workspace and from each folder
// that is named as well.
func (s *seer) named(words []string) []string {
	folders, names := []string{"."}, []string{}
	for _, word := range words {
		name, ok := s.inside(word)
		if !ok {
			continue
		}
		if info, err := s.root.Stat(name); err == nil && info.IsDir() {
			folders = append(folders, name)
		} else {
			names = append(names, name)
		}
	}
	found := map[string]bool{}
	for _, folder := range folders[:min(len(folders), 30)] {
		for _, name := range names[:min(len(names), 500)] {
			for _, p := range s.match(path.Join(folder, name)) {
				found[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// inside is a word as a path of the workspace, which is the home folder as well.
func (s *seer) inside(word string) (string, bool) {
	for _, home := range []string{s.dir, "~", "$HOME", "$PWD"} {
		if rest, ok := strings.CutPrefix(word, home+"/"); ok {
			word = rest
			break
		}
	}
	if word == "" || len(word) > 1000 {
		return "", false
	}
	name, err := within(word)
	return name, err == nil
}

// match are the files with a name, or those that a glob fits.
func (s *seer) match(name string) []string {
	if !strings.ContainsAny(name, "*?[") {
		if s.there(name) {
			return []string{name}
		}
		return nil
	}
	var found []string
	for _, p := range s.walk() {
		if ok, err := path.Match(name, p); ok && err == nil {
			found = append(found, p)
		}
	}
	return found
}

func (s *seer) there(name string) bool {
	if _, planned := s.writes[name]; planned {
		return true
	}
	info, err := s.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// project adds the files of the projects that a command works on.
func (s *seer) project(wide map[string]bool, named shell.Named) {
	if !named.Any && len(named.Projects)+len(named.Sources) == 0 {
		return
	}
	for _, p := range s.walk() {
		fits := func(glob string) bool { ok, err := path.Match(glob, path.Base(p)); return ok && err == nil }
		_, known := wide[p]
		switch {
		case slices.ContainsFunc(named.Projects, fits):
			wide[p] = strings.Contains(p, "/node_modules/") && !known
		case !known && (named.Any || slices.ContainsFunc(named.Sources, fits)):
			wide[p] = true
		}
	}
}

// walk lists the files of the workspace, with those that earlier calls will write.
func (s *seer) walk() []string {
	if s.all != nil {
		return s.all
	}
	found := map[string]bool{}
	for p := range s.writes {
		found[p] = true
	}
	s.folder(".", found)
	s.all = slices.Sorted(maps.Keys(found))
	return s.all
}

// folder adds the files below a folder. What cannot be looked at is left out.
func (s *seer) folder(name string, found map[string]bool) {
	entries, err := readFolder(s.root, name)
	if err != nil {
		return
	}
	for _, e := range entries {
		p := path.Join(name, e.Name())
		switch {
		case len(found) >= maxWalked:
			return
		case e.IsDir():
			s.folder(p, found)
		default:
			found[p] = true
		}
	}
}

// list is what is there, named files first; what is too much is told apart as one.
func (s *seer) list(wide map[string]bool) []agent.SeenFile {
	var files []agent.SeenFile
	for _, p := range slices.Sorted(maps.Keys(wide)) {
		if h := s.hash(p); h != "" {
			files = append(files, agent.SeenFile{Path: p, Hash: h, Wide: wide[p]})
		}
	}
	slices.SortStableFunc(files, func(a, b agent.SeenFile) int {
		switch {
		case a.Wide == b.Wide:
			return 0
		case b.Wide:
			return -1
		default:
			return 1
		}
	})
	if len(files) <= maxSeen {
		return files
	}
	rest := sha256.New()
	for _, f := range files[maxSeen:] {
		_, _ = fmt.Fprintf(rest, "%q %s\n", f.Path, f.Hash)
	}
	return append(files[:maxSeen], agent.SeenFile{Path: otherFiles, Hash: short(rest.Sum(nil)), Wide: true})
}

// hash tells one state of a file from another: by its content, or by the times and the
// size of what is too much to read, or not to be opened.
func (s *seer) hash(name string) string {
	if planned, ok := s.writes[name]; ok {
		return planned
	}
	info, err := s.root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if s.spaces.check(info) == nil && info.Size() <= maxWrite && s.read+info.Size() <= maxSeenBytes {
		if sum, err := s.content(name); err == nil {
			s.read += info.Size()
			return sum
		}
	}
	state := fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		state += fmt.Sprint(" ", stat.Ino, changedAt(stat))
	}
	return hashOf(state)
}

func (s *seer) content(name string) (string, error) {
	f, err := s.spaces.openFile(s.root, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(f, maxWrite+1))
	return short(sum.Sum(nil)), err
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return short(sum[:])
}

func short(sum []byte) string { return hex.EncodeToString(sum[:16]) }
