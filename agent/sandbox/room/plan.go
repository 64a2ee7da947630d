package room

import "cmp"

// The first arguments by which this executable knows what it is to be. Plan
// as JSON is the second one, the program and its arguments follow.
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
	// Namespaces are those to make. The entrance stays as their first process then, and
	// builds the file system: of Read, Write, and Mounts. Nil is none.
	Namespaces *Namespaces `json:",omitempty"`
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
	Through []string `json:",omitempty"`
	Self    string
	// Temp makes a private folder for temporary files where the file system is not ours to build.
	Temp bool
	// Landlock forbids other files, and signals and abstract sockets to the outside.
	Landlock bool
	// NoTCP has Landlock forbid TCP.
	NoTCP bool
	// Filter refuses system calls that are no program's business, and sockets of
	// other families than Sockets.
	Filter  bool
	Sockets []int
	// Held waits for a byte on the control pipe before it starts anything.
	Held   bool
	Limits Limits
}

// Namespaces are new ones of everything but, maybe, the network.
type Namespaces struct {
	Network bool // a new one of it, too
	// User and Group are who the program is outside. Inside they have other
	// numbers where the server is root. Switch says that they are not the server's.
	User, Group             int
	UserInside, GroupInside int
	Switch                  bool
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
}

// Found is what a checker has found out.
type Found struct {
	Files, Modes, Network, Processes, Limits bool
	// UID is the user as seen from outside.
	UID int
	// Landlock is the version of its interface, 0 for none.
	Landlock int
}

// Probe is what a checker tries to reach.
type Probe struct {
	File string
	Port int // of this machine's loopback
	// PID is the server, and PIDs its namespace of processes.
	PID  int
	PIDs string
}

// Or takes the limits of others where there are none.
func (l Limits) Or(others Limits) Limits {
	return Limits{
		Memory: cmp.Or(l.Memory, others.Memory), Processes: cmp.Or(l.Processes, others.Processes), FileSize: cmp.Or(l.FileSize, others.FileSize),
		Files: cmp.Or(l.Files, others.Files), Folder: cmp.Or(l.Folder, others.Folder), Temp: cmp.Or(l.Temp, others.Temp),
	}
}
