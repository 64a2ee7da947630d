package sandbox

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"fusebox/agent/sandbox/room"
)

// Options say how programs are to be kept.
type Options struct {
	Mode Mode
	// Data is the server's folder. No program may reach what is in there, but for the
	// folders that its Spec names.
	Data string
	// Hidden are other files and folders that none may reach.
	Hidden []string
	// Without leaves out ways to build walls, for tests: "namespaces",
	// "bubblewrap", "landlock".
	Without []string
	// Limits are those of programs that name none; 0 takes the usual one.
	Limits Limits
	Logger *slog.Logger
}

// Limits bound what a program uses with all it starts; 0 takes the usual one.
type Limits = room.Limits

// Usual are the limits where nobody has named others.
var Usual = Limits{
	Memory: 4 << 30, Processes: 512, FileSize: 2 << 30, Files: 4096, Folder: 8 << 30, Temp: 512 << 20, CPU: time.Hour,
}

// Spec is a program to start.
type Spec struct {
	// Args are the program, by its absolute path, and its arguments.
	Args []string
	// Dir is its working folder, Env its whole environment.
	Dir string
	Env []string
	// Write are folders that it may change, Read those that it may read, besides the
	// system's programs.
	Write, Read []string
	// Network lets it reach every address that the server reaches.
	Network bool
	Limits  Limits
	// Lasting says that it serves many calls: its processor time has no limit.
	Lasting bool
	// Held waits after the start until Room.Begin: what must be written down before
	// the program does anything can be.
	Held bool
}

// Sandbox starts programs behind the walls that were found to stand.
type Sandbox struct {
	mode   Mode
	walls  Walls
	way    way
	system []string
	limits Limits
}

// Walls are those that stand.
func (s *Sandbox) Walls() Walls { return s.walls }

// New finds out which walls stand here.
func New(o Options) (*Sandbox, error) {
	data, err := realPath(o.Data)
	if err != nil {
		return nil, fmt.Errorf("find the data folder: %w", err)
	}
	s := &Sandbox{mode: o.Mode, system: without(systemPaths, data), limits: o.Limits.Or(Usual)}
	for _, path := range o.Hidden {
		if at, err := realPath(path); err == nil && path != "" { // what is not there hides itself
			s.system = without(s.system, at)
		}
	}
	began := time.Now()
	if o.Mode != Off {
		if err := s.choose(o, data); err != nil {
			return nil, err
		}
	}
	o.Logger.Info("walls around commands", "standing", s.walls.Standing, "missing", s.walls.Missing(), "by", s.walls.By, "probed_in", time.Since(began))
	return s, nil
}

// realPath is a path without links.
func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
