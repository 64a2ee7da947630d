package room

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	// measureShare bounds how much of the time goes into measuring folders: one part in so
	// many, and growingShare where the disk fills up.
	measureShare, growingShare = 20, 3
	// noise is how much a disk may fill up without a further look at folders that are full.
	noise = 1 << 20
)

// watchFolders ends a program that fills its folders. Large ones take their time, and
// nothing else waits for it.
func watchFolders(all []*measure, e *ending) {
	var looks pace
	for {
		var used int64
		for _, m := range all {
			if why := m.outgrown(); why != "" {
				e.now(137, "The command was ended: "+why+".")
			}
			used += m.used
		}
		time.Sleep(looks.rest(used, 0))
	}
}

// measures are of the folders that a program can fill: not those for temporary files
// where these have a size of their own.
func measures(p Plan, temp string) (all []*measure) {
	workspace := &measure{name: "the workspace", limit: p.Limits.Folder, unlinked: &unlinked{apart: p.Apart}}
	for _, path := range p.Write {
		if info, err := os.Stat(path); err == nil && info.IsDir() && path != temp {
			workspace.paths = append(workspace.paths, path)
		}
	}
	if workspace.limit > 0 {
		all = append(all, workspace)
	}
	if temp != "" && p.Limits.Temp > 0 {
		all = append(all, &measure{name: "the folder for temporary files", limit: p.Limits.Temp, paths: []string{temp}})
	}
	return all
}

// measure looks from time to time at how much folders hold.
type measure struct {
	name     string
	limit    int64
	paths    []string
	unlinked *unlinked // counted as well; nil for none

	looked     bool
	last       int64 // what they held at the last look
	used       int64 // how much the disk held then, whosever it is
	next, soon time.Time
}

// outgrown says why the program has to end, "" for not at all: the folders hold too
// much, and no less than at the last look. What clears up a folder that is too full must be able to.
func (m *measure) outgrown() (why string) {
	var used int64 // on the disks of the folders
	for _, path := range m.paths {
		var s syscall.Statfs_t
		if syscall.Statfs(path, &s) == nil {
			used += int64(s.Blocks-s.Bfree) * int64(s.Bsize) //nolint:unconvert // 32 bits on some processors
		}
	}

	if !m.due(used) {
		return ""
	}
	began := time.Now()
	t := tally{enough: m.limit}
	if !m.looked || m.last > m.limit {
		t.enough = 1<<63 - 1
	}
	t.look(m.paths, m.unlinked)
	switch {
	case m.looked && t.tooDeep:
		why = m.name + " has folders nested more than " + strconv.Itoa(maxDepth) + " deep"
	case m.looked && t.sum > m.limit && t.sum >= m.last:
		why = m.name + " holds more than " + size(m.limit)
	}
	m.looked, m.last, m.used = true, t.sum, used
	took := time.Since(began)
	m.next, m.soon = time.Now().Add(measureShare*took), time.Now().Add(growingShare*took)
	return why
}

// due reports whether it is time for a look: that comes sooner where the disk has taken in
// what would be too much for the folders.
func (m *measure) due(used int64) bool {
	at := time.Now()
	return !at.Before(m.next) || used-m.used > max(m.limit-m.last, noise) && !at.Before(m.soon)
}
