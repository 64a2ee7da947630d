package room

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	// watchEvery is how often memory and processes are counted while they change,
	// watchIdle how often at least.
	watchEvery, watchIdle = 100 * time.Millisecond, 500 * time.Millisecond
	// measureShare bounds how much of the time goes into measuring folders: one part in so many.
	measureShare = 20
)

// watch ends a program that outgrows its limits. The kernel bounds each process; it
// bounds all of them together only where there is a control group, which most
// servers may not make.
func watch(p Plan, e *ending) {
	folders := measure{limit: p.Limits.Folder, paths: writableFolders(p)}
	var looks pace
	for {
		memory, tasks := used()
		switch {
		case p.Limits.Memory > 0 && memory > p.Limits.Memory:
			e.now(137, "The command was ended: it used more than "+size(p.Limits.Memory)+" of memory.")
		case p.Limits.Processes > 0 && tasks > p.Limits.Processes:
			e.now(137, "The command was ended: it had more than "+strconv.FormatInt(p.Limits.Processes, 10)+" processes.")
		case folders.outgrown():
			e.now(137, "The command was ended: the workspace holds more than "+size(p.Limits.Folder)+".")
		}
		time.Sleep(looks.rest(memory, tasks))
	}
}

// pace lets the looks at a program that does nothing become rare: each rest is twice as
// long as the one before, until something changes.
type pace struct {
	memory, tasks int64
	last          time.Duration
}

// rest is how long to wait after a look.
func (p *pace) rest(memory, tasks int64) time.Duration {
	if memory != p.memory || tasks != p.tasks || p.last == 0 {
		p.memory, p.tasks, p.last = memory, tasks, watchEvery
		return watchEvery
	}
	p.last = min(2*p.last, watchIdle)
	return p.last
}

// used sums up the memory and the threads of all that the supervisor has started.
func used() (memory, tasks int64) {
	for _, pid := range descendants(os.Getpid()) {
		s := statusOf(pid, "RssAnon", "RssShmem", "Threads")
		memory += (s["RssAnon"] + s["RssShmem"]) << 10
		tasks += s["Threads"]
	}
	return memory, tasks
}

// writableFolders are those that a program can fill: not its folder for temporary
// files where that has a size of its own, and no devices.
func writableFolders(p Plan) (folders []string) {
	for _, path := range p.Write {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			folders = append(folders, path)
		}
	}
	return folders
}

// measure looks from time to time at how much folders hold.
type measure struct {
	limit int64
	paths []string
	last  int64 // what they held at the last look, 0 before the first
	next  time.Time
}

// outgrown reports whether the folders hold too much, and no less than at the last
// look: what clears up a folder that is too full must be able to.
func (m *measure) outgrown() bool {
	at := time.Now()
	if m.limit <= 0 || at.Before(m.next) {
		return false
	}
	var sum int64
	for _, path := range m.paths {
		sum += held(path)
	}
	tooMuch := sum > m.limit && m.last > 0 && sum >= m.last
	m.last, m.next = sum, time.Now().Add(measureShare*time.Since(at))
	return tooMuch
}

// held is how much is on disk below a folder. Each file counts as a block at least, so
// that empty ones count as well.
func held(folder string) (sum int64) {
	const block = 4096
	entries, _ := os.ReadDir(folder) // what is removed meanwhile holds nothing
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			if s, ok := info.Sys().(*syscall.Stat_t); ok {
				sum += max(s.Blocks*512, block)
			}
		}
		if entry.IsDir() {
			sum += held(folder + "/" + entry.Name())
		}
	}
	return sum
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return strconv.FormatInt(n>>30, 10) + " GB"
	case n >= 1<<20:
		return strconv.FormatInt(n>>20, 10) + " MB"
	default:
		return strconv.FormatInt(n, 10) + " bytes"
	}
}
