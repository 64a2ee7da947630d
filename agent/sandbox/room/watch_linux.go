package room

import (
	"os"
	"strconv"
	"time"
)

const (
	// watchEvery is how often memory and processes are counted while they change,
	// watchIdle how often at least.
	watchEvery, watchIdle = 100 * time.Millisecond, 500 * time.Millisecond
)

// watch ends a program that outgrows its limits. The kernel bounds each process; it
// bounds all of them together only where there is a control group, which most
// servers may not make.
func watch(l Limits, e *ending) {
	var looks pace
	var shared sharedMemory
	var processor processorTime
	for {
		all := Descendants(os.Getpid())
		memory, tasks := used(all)
		memory += shared.held(all)
		switch {
		case l.Memory > 0 && memory > l.Memory:
			e.now(137, "The command was ended: it used more than "+size(l.Memory)+" of memory.")
		case l.Processes > 0 && tasks > l.Processes:
			e.now(137, "The command was ended: it had more than "+strconv.FormatInt(l.Processes, 10)+" processes.")
		case l.CPU > 0 && processor.used(all) > l.CPU:
			e.now(137, "The command was ended: it used more than "+span(l.CPU)+" of processor time.")
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

// used sums up the memory of processes that is each one's own, and their threads.
func used(all []int) (memory, tasks int64) {
	for _, pid := range all {
		s := statusOf(pid, "RssAnon", "VmSwap", "HugetlbPages", "Threads")
		memory += (s["RssAnon"] + s["VmSwap"] + s["HugetlbPages"]) << 10
		tasks += s["Threads"]
	}
	return memory, tasks
}

// sharedMemory is what processes share. It lasts as long as any of them maps a part of it,
// whatever they have given up.
type sharedMemory struct {
	seen sights
	sum  int64
	next time.Time
}

// held is how much that is. Processes may map so much that a look takes long.
func (s *sharedMemory) held(all []int) int64 {
	began := time.Now()
	if began.Before(s.next) {
		return s.sum
	}
	now := sights{}
	for _, pid := range all {
		for _, m := range mappedBy(pid) {
			if m.memory {
				now.addMapped(m)
			}
		}
	}
	s.sum = now.after(s.seen)
	s.seen, s.next = now, time.Now().Add(sharedShare*time.Since(began))
	return s.sum
}

// sharedShare bounds how much of the time goes into looks at shared memory: one part in so many.
const sharedShare = 10

func size(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + " GB"
	case n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + " MB"
	default:
		return strconv.FormatInt(n, 10) + " bytes"
	}
}

func span(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	case d%time.Minute == 0:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	default:
		return d.String()
	}
}
