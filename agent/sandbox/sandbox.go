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
	// Hidden is a folder that no program may reach, but for those below that its
	// Spec names: the server's data.
	Hidden string
	// Without leaves out ways to build walls, for tests: "namespaces",
	// "bubblewrap", "landlock".
	Without []string
	// Limits are those of programs that name none; 0 takes the usual one.
	Limits Limits
	Logger *slog.Logger
}

// Limits bound what a program uses with all it starts; 0 takes the usual one.
type Limits = room.Limits

// usual are the limits of a program that names none.
var usual = Limits{
	Memory: 4 << 30, Processes: 512, FileSize: 2 << 30, Files: 4096, Folder: 8 << 30, Temp: 512 << 20,
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
	hidden, err := realPath(o.Hidden)
	if err != nil {
		return nil, fmt.Errorf("find the folder to hide: %w", err)
	}
	s := &Sandbox{mode: o.Mode, system: without(systemPaths, hidden), limits: o.Limits.Or(usual)}
	began := time.Now()
	if o.Mode != Off {
		if err := s.choose(o, hidden); err != nil {
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
