//go:build !linux

package sandbox

import (
	"context"
	"os/exec"
	"syscall"
	"time"
)

// pipeWait is how long a program's children may hold its output open after it has ended.
const pipeWait = 100 * time.Millisecond

// way is how walls are built: here there are none.
type way struct{}

func (s *Sandbox) choose(Options, string) error { return nil }

// Room is where a started program is, as the server sees it.
type Room struct{ cmd *exec.Cmd }

// Command prepares a program in a process group of its own. Cancelling ctx ends the
// group, and so does closing the Room.
func (s *Sandbox) Command(ctx context.Context, spec Spec) (*exec.Cmd, *Room, error) {
	if s.mode == Required {
		return nil, nil, ErrNoWalls
	}
	cmd := exec.CommandContext(ctx, spec.Args[0], spec.Args[1:]...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = pipeWait
	r := &Room{cmd}
	cmd.Cancel = r.Close
	return cmd, r, nil
}

// Begin lets a program begin that is held: here none is.
func (r *Room) Begin() error { return nil }

// Trouble says why a program did not start or was ended: here nothing ends it.
func (r *Room) Trouble() string { return "" }

// Close ends what is left of the program.
func (r *Room) Close() error {
	if r.cmd.Process != nil {
		_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) // usually no process is left
	}
	return nil
}

// ProcessID names a process for End: here it cannot be told from a later one of the same number.
func ProcessID(int) string { return "" }

// End ends what is left of a program that another server has started: here nothing is known of it.
func End(context.Context, string) error { return nil }
