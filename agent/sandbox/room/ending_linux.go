package room

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// ending ends a room, once.
type ending struct {
	temp string
	once sync.Mutex
}

// now ends all that the program has started, and then this process.
func (e *ending) now(code int, why string) {
	e.once.Lock() // and never unlocked
	if why != "" {
		report(why)
	}
	// The first process of a namespace takes all others with it; elsewhere what is killed leaves its
	// children to this process, which then finds them. They are stopped first, so that they cannot
	// multiply meanwhile.
	for !reaped() {
		EndDescendants(os.Getpid())
		time.Sleep(time.Millisecond)
	}
	if e.temp != "" {
		_ = os.RemoveAll(e.temp) // what is left is in the folder for temporary files
	}
	syscall.Exit(code)
}

// EndDescendants kills what a process has started, as far as it is found at once.
func EndDescendants(of int) {
	all := Descendants(of)
	for _, p := range all {
		_ = syscall.Kill(p, syscall.SIGSTOP) // it may be gone
	}
	for _, p := range all {
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
}

// reaped takes in what has ended, and reports whether no child is left.
func reaped() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.ECHILD {
			return true
		}
		if pid <= 0 && err != syscall.EINTR {
			return false
		}
	}
}
