package sandbox

import (
	"errors"
	"slices"
	"strings"
)

// Mode is the setting tool.sandbox.
type Mode string

// The modes.
const (
	Auto     Mode = "auto"     // the walls that this machine allows
	Required Mode = "required" // programs are refused where walls are missing
	Off      Mode = "off"
)

// Wall is one thing that is kept from programs.
type Wall string

// The walls.
const (
	WallFiles     Wall = "files"     // the contents of other files than the workspace and the system's programs
	WallModes     Wall = "modes"     // modes, owners, and times of other files
	WallNetwork   Wall = "network"   // all connections, to this machine too
	WallProcesses Wall = "processes" // seeing or ending processes outside
	WallUser      Wall = "user"      // the rights of the user that the server is
	WallLimits    Wall = "limits"    // more memory, processes, or disk than allowed
)

// AllWalls lists them as they are shown.
var AllWalls = []Wall{WallFiles, WallModes, WallNetwork, WallProcesses, WallUser, WallLimits}

// needed are those without which a program could read or change what is not its own.
var needed = []Wall{WallFiles, WallModes, WallNetwork, WallProcesses}

// Walls are those that were found to stand.
type Walls struct {
	Standing []Wall `json:"standing"`
	// By names what they are made of.
	By []string `json:"by,omitempty"`
}

// Has reports whether a wall stands.
func (w Walls) Has(wall Wall) bool { return slices.Contains(w.Standing, wall) }

// Hold reports whether a program behind them can neither read nor change what is not its own.
func (w Walls) Hold() bool {
	return !slices.ContainsFunc(needed, func(wall Wall) bool { return !w.Has(wall) })
}

// Missing are the walls that do not stand.
func (w Walls) Missing() (missing []Wall) {
	for _, wall := range AllWalls {
		if !w.Has(wall) {
			missing = append(missing, wall)
		}
	}
	return missing
}

// ErrNoWalls refuses a program where walls are required and missing.
var ErrNoWalls = errors.New("tool.sandbox is required, and the walls of this machine do not hold")

// String names the walls in one line.
func (w Walls) String() string {
	if len(w.Standing) == 0 {
		return "none"
	}
	var names []string
	for _, wall := range w.Standing {
		names = append(names, string(wall))
	}
	return strings.Join(names, ", ") + " (" + strings.Join(w.By, ", ") + ")"
}
