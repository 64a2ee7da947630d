package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fusebox/agent/sandbox/room"
)

// endWait is how long what is left of a program may take to end before its supervisor is killed as well.
// On a busy machine killed processes wait for a processor like others, and longer because they are less urgent.
const endWait = 15 * time.Second

// Room is where a started program is, as the server sees it.
type Room struct {
	report, control *os.File
	files           []*os.File // what only the program's side needs
}

// Command prepares a program. It is started and waited for like any other; when it
// has ended, so has all that it started. Cancelling ctx ends it. Close the Room then.
func (s *Sandbox) Command(ctx context.Context, spec Spec) (*exec.Cmd, *Room, error) {
	if s.mode == Required && !s.walls.Hold() {
		return nil, nil, ErrNoWalls
	}
	return s.command(ctx, spec)
}

func (s *Sandbox) command(ctx context.Context, spec Spec) (*exec.Cmd, *Room, error) {
	plan := s.way.plan(spec, s.system, s.limits)
	report, reports, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	told, control, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make a pipe: %w", err), report.Close(), reports.Close())
	}
	r := &Room{report: report, control: control, files: []*os.File{reports, told}}
	if plan.Mounts, err = s.way.owner.open(r, spec); err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	cmd := exec.CommandContext(ctx, "/proc/self/exe", append([]string{room.Supervisor, plan.Encode()}, spec.Args...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Dir, cmd.Env = "/", spec.Env
	cmd.ExtraFiles = r.files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = r.end
	cmd.WaitDelay = endWait
	return cmd, r, nil
}

// Begin lets a program begin that is held.
func (r *Room) Begin() error {
	_, err := r.control.Write([]byte{1})
	return err
}

// end tells the supervisor to end everything. It would do so without being told once
// this process is gone.
func (r *Room) end() error {
	if err := r.control.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// Trouble says, once the program has ended, why it did not start or was ended; "" where it
// ended by itself.
func (r *Room) Trouble() string {
	for _, f := range r.files {
		_ = f.Close() // so that the pipe has an end
	}
	text, err := io.ReadAll(io.LimitReader(r.report, 4096))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Close lets go of everything; a program that still runs is ended.
func (r *Room) Close() error {
	var errs []error
	for _, f := range append(slices.Clone(r.files), r.report, r.control) {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// families are the kinds of sockets that programs need with a network, or in one of their own.
var families = []int64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
