package room

import (
	"cmp"
	"time"
)

// The first arguments by which this executable knows what it is to be. A
// Plan is the second one, the program and its arguments follow.
const (
	// Supervisor starts the program and ends all that is left of it.
	Supervisor = "sandbox-supervisor"
	// Entrance puts up the walls around itself and becomes the program.
	Entrance = "sandbox-entrance"
	// Checker tries to get out and reports as a Found, see check_linux.go.
	Checker = "sandbox-checker"
	// Idler does nothing until its input ends.
	Idler = "sandbox-idler"
)

// The descriptors that a supervisor is started with.
const (
	// ReportFD takes sentences for people about what the room did not allow.
	ReportFD = 3
	// ControlFD is a pipe that ends with the server or when the server says so:
	// then the supervisor ends everything.
	ControlFD = 4
	// BegunFD is in its place for the entrance: a pipe that ends when the program begins.
	BegunFD = ControlFD
	// FirstMountFD is the first of Plan.Mounts.
	FirstMountFD = 5
)

// Plan says which walls a program gets.
type Plan struct {
	// Dir is its working folder.
	Dir string
	// Namespaces says that the entrance gets new ones and stays as their first process. It
	// builds the file system: of Read, Write, and Mounts.
	Namespaces bool
	// Network is a new one of that, too.
	Network bool
	// User and Group are who the program is outside. Inside they have other numbers
	// where the server is root. Switch says that they are not the server's.
	User, Group             int64
	UserInside, GroupInside int64
	Switch                  bool
	// Apart says that the file system and the processes are the room's own, whoever
	// has made them so.
	Apart bool
	// Read are files and folders to read and to run programs from, Write those to write as well.
	Read, Write []string
	// Mounts are those of Read and Write that the server has opened, in the order
	// of their descriptors.
	Mounts []string
	// Through is a program with its arguments that starts the entrance in the file
	// system that it builds; Self is this executable there.
	Through []string
	Self    string
	// Copies are files of Read that bubblewrap, being Through, copies: it takes several
	// times as long to show one in place.
	Copies []string
	// Temp makes a private folder for temporary files where the file system is not ours to build.
	Temp bool
	// Landlock forbids other files, and signals and abstract sockets to the outside.
	Landlock bool
	// NoTCP has Landlock forbid TCP.
	NoTCP bool
	// Filter refuses system calls that are no program's business, and sockets of
	// other families than Sockets.
	Filter  bool
	Sockets []int64
	// Held waits for a byte on the control pipe before it starts anything.
	Held   bool
	Limits Limits
}

// writable are the folders and files to write in the room.
func (p Plan) writable() []string {
	if p.Apart {
		return append([]string{"/tmp", "/dev/shm"}, p.Write...)
	}
	return p.Write
}

// Limits bound what a program and all that it starts use; 0 is no limit.
type Limits struct {
	// Memory is in bytes, of all processes together and of each.
	Memory int64
	// Processes is how many of them there may be, threads included.
	Processes int64
	// FileSize is the largest file, Files how many one process may have open.
	FileSize, Files int64
	// Folder is how much the folders to write may hold, Temp that for temporary files.
	Folder, Temp int64
	// CPU is the processor time of all processes together.
	CPU time.Duration
}

// Or takes the limits of others where there are none.
func (l Limits) Or(others Limits) Limits {
	return Limits{
		Memory: cmp.Or(l.Memory, others.Memory), Processes: cmp.Or(l.Processes, others.Processes), FileSize: cmp.Or(l.FileSize, others.FileSize),
		Files: cmp.Or(l.Files, others.Files), Folder: cmp.Or(l.Folder, others.Folder), Temp: cmp.Or(l.Temp, others.Temp),
		CPU: cmp.Or(l.CPU, others.CPU),
	}
}

func (p *Plan) fields() []field {
	return []field{
		{"dir", &p.Dir}, {"namespaces", &p.Namespaces}, {"network", &p.Network}, {"user", &p.User}, {"group", &p.Group},
		{"user-inside", &p.UserInside}, {"group-inside", &p.GroupInside}, {"switch", &p.Switch}, {"apart", &p.Apart},
		{"read", &p.Read}, {"write", &p.Write}, {"mounts", &p.Mounts}, {"through", &p.Through}, {"copies", &p.Copies}, {"self", &p.Self}, {"temp", &p.Temp},
		{"landlock", &p.Landlock}, {"no-tcp", &p.NoTCP}, {"filter", &p.Filter}, {"sockets", &p.Sockets}, {"held", &p.Held},
		{"memory", &p.Limits.Memory}, {"processes", &p.Limits.Processes}, {"file-size", &p.Limits.FileSize}, {"files", &p.Limits.Files},
		{"folder", &p.Limits.Folder}, {"temp-size", &p.Limits.Temp}, {"cpu", (*int64)(&p.Limits.CPU)},
	}
}

// Encode writes the plan for a supervisor.
func (p Plan) Encode() string { return encode(p.fields()) }
