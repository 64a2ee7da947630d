package room

import (
	"strconv"
	"syscall"
	"time"
)

// processorTime counts the processor time of a program and of all that it has started and
// that has ended. The kernel adds the time of a process to that of its parent when the
// parent takes note of its end. Some take none: so the time is kept that they were seen with.
type processorTime struct {
	own      map[started]int64 // of those that live, in ticks
	vanished int64             // of those that were seen and have ended
	passedOn int64             // by those that have ended to those that live
}

// started names a process: numbers are used again.
type started struct {
	pid  int
	when string
}

// tick is the unit in which the kernel tells it.
const tick = time.Second / 100

// used is never too much: what ended processes have used counts by one of both ways.
func (p *processorTime) used(all []int) time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r) // of this process
	passedOn := int64((time.Duration(r.Utime.Nano()) + time.Duration(r.Stime.Nano())) / tick)
	own, living := map[started]int64{}, int64(0)
	for _, pid := range all { // parents first: nothing is counted for a child and its parent
		const utime, stime, cutime, cstime, begun = 11, 12, 13, 14, 19
		f := Stat(pid)
		if len(f) <= begun {
			continue
		}
		ticks := number(f[utime]) + number(f[stime])
		own[started{pid, f[begun]}] = ticks
		living += ticks
		passedOn += number(f[cutime]) + number(f[cstime])
	}
	for who, ticks := range p.own {
		if _, lives := own[who]; !lives {
			p.vanished += ticks
		}
	}
	p.own, p.passedOn = own, max(p.passedOn, passedOn)
	return time.Duration(living+max(p.vanished, p.passedOn)) * tick
}

// number reads one that the kernel has written.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
