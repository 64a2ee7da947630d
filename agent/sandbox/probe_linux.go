package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"fusebox/agent/sandbox/room"
)

// probeTime bounds one try of a way.
const probeTime = 10 * time.Second

// choose tries the ways there are and takes the first that holds, else the one with
// the most walls.
func (s *Sandbox) choose(o Options, data string) error {
	p, err := newProbe(data)
	if err != nil {
		return err
	}
	defer p.end()
	for _, w := range ways(o) {
		walls, err := s.try(w, p)
		if err != nil {
			o.Logger.Debug("a way to build walls is closed", "by", w.names(), "error", err)
			continue
		}
		if len(walls.Standing) > len(s.walls.Standing) {
			s.way, s.walls = w, walls
		}
		if walls.Hold() {
			return nil
		}
	}
	return nil
}

// ways are those to try, best first. Root prefers namespaces of its own, because only
// there programs are another user; anybody else what is well known.
func ways(o Options) []way {
	has := func(name string) bool { return !slices.Contains(o.Without, name) }
	base := way{walled: true, filter: has("filter") && room.Filters, landlock: has("landlock") && room.Landlock() > 0}
	var all []way
	if path, err := exec.LookPath("bwrap"); err == nil && has("bubblewrap") {
		w := base
		w.bubblewrap = path
		all = append(all, w)
	}
	if has("namespaces") {
		w := base
		w.namespaces = true
		all = append(all, w)
	}
	if os.Geteuid() == 0 {
		slices.Reverse(all)
		if has("namespaces") {
			if own, err := newOwner(); err == nil {
				w := all[0]
				w.owner = own
				all = slices.Insert(all, 0, w)
			}
		}
	}
	if base.landlock || base.filter {
		all = append(all, base)
	}
	return all
}

// names say what a way is made of.
func (w way) names() (by []string) {
	if w.namespaces {
		by = append(by, "namespaces")
	}
	if w.bubblewrap != "" {
		by = append(by, "bubblewrap")
	}
	if w.landlock {
		by = append(by, fmt.Sprintf("Landlock %d", room.Landlock()))
	}
	if w.filter {
		by = append(by, "seccomp")
	}
	return by
}

// probe is what a checker must not reach: a file, a port, and this process.
type probe struct {
	room.Probe
	dir      string
	listener net.Listener
}

func newProbe(data string) (*probe, error) {
	dir, err := os.MkdirTemp(data, "walls-")
	if err != nil {
		return nil, fmt.Errorf("probe walls: %w", err)
	}
	p := &probe{dir: dir, Probe: room.Probe{File: filepath.Join(dir, "hidden"), PID: int64(os.Getpid())}}
	err = errors.Join(os.WriteFile(p.File, []byte("hidden"), 0o600), os.Mkdir(p.room(), 0o700))
	if err == nil {
		p.listener, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp4", "127.0.0.1:0")
	}
	if err == nil {
		p.PIDs, err = os.Readlink("/proc/self/ns/pid")
	}
	if err != nil {
		p.end()
		return nil, fmt.Errorf("probe walls: %w", err)
	}
	p.Port = int64(p.listener.Addr().(*net.TCPAddr).Port)
	return p, nil
}

func (p *probe) room() string { return filepath.Join(p.dir, "room") }

func (p *probe) end() {
	if p.listener != nil {
		_ = p.listener.Close()
	}
	_ = os.RemoveAll(p.dir) // it is empty of anything that matters
}

// try runs a checker on a way and says which walls stood.
func (s *Sandbox) try(w way, p *probe) (Walls, error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return Walls{}, err
	}
	once := &Sandbox{way: w, system: s.system, limits: Usual} // those that a server has may be too small for the checker
	cmd, r, err := once.command(ctx, Spec{
		Args: []string{self, room.Checker, p.Encode()}, Dir: p.room(), Write: []string{p.room()}, Read: []string{self},
	})
	if err != nil {
		return Walls{}, err
	}
	defer func() { _ = r.Close() }()
	answer, err := cmd.Output()
	if trouble := r.Trouble(); err != nil || trouble != "" {
		return Walls{}, fmt.Errorf("%s: %w", trouble, err)
	}
	found, err := room.ReadFound(string(answer))
	if err != nil {
		return Walls{}, err
	}
	walls := Walls{By: w.names()}
	for _, tried := range []struct {
		wall   Wall
		stands bool
	}{
		{WallFiles, found.Files}, {WallModes, found.Modes}, {WallNetwork, found.Network}, {WallProcesses, found.Processes},
		{WallUser, os.Geteuid() != 0 || found.UID != 0}, {WallLimits, found.Limits},
	} {
		if tried.stands {
			walls.Standing = append(walls.Standing, tried.wall)
		}
	}
	return walls, nil
}
