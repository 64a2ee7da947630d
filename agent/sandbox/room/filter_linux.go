//go:build amd64 || arm64

package room

import (
	"syscall"
	"unsafe"
)

// Filters says that this processor's system calls are known here.
const Filters = true

// The few instructions of a filter that are used here.
const (
	load      = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
	jumpEqual = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
	jumpAbove = syscall.BPF_JMP | syscall.BPF_JGT | syscall.BPF_K
	jumpBits  = syscall.BPF_JMP | syscall.BPF_JSET | syscall.BPF_K
	answer    = syscall.BPF_RET | syscall.BPF_K

	permit  = 0x7fff0000
	refuse  = 0x00050000 | uint32(syscall.EPERM)
	unknown = 0x00050000 | uint32(syscall.ENOSYS)

	// Where the call's number, its processor and the low half of its first argument are.
	atNumber, atProcessor, atFirst = 0, 4, 16

	prSetSeccomp      = 22
	seccompModeFilter = 2
)

// refused are the calls that are no program's business in a room: new mounts and
// namespaces, other processes' memory and open files, the kernel's keys, modules, and
// clocks, and what runs calls that no filter sees.
var refused = append([]uint32{
	syscall.SYS_MOUNT, syscall.SYS_UMOUNT2, syscall.SYS_PIVOT_ROOT, syscall.SYS_CHROOT, syscall.SYS_UNSHARE,
	syscall.SYS_SWAPON, syscall.SYS_SWAPOFF, syscall.SYS_REBOOT, syscall.SYS_SETHOSTNAME, syscall.SYS_SETDOMAINNAME,
	syscall.SYS_INIT_MODULE, syscall.SYS_DELETE_MODULE, syscall.SYS_ACCT, syscall.SYS_QUOTACTL, syscall.SYS_SYSLOG,
	syscall.SYS_SETTIMEOFDAY, syscall.SYS_CLOCK_SETTIME, syscall.SYS_ADJTIMEX, syscall.SYS_VHANGUP,
	syscall.SYS_PTRACE, syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY, syscall.SYS_KEYCTL, syscall.SYS_PERF_EVENT_OPEN,
	425, 426, 427, 438, // io_uring, pidfd_getfd
	428, 429, 430, 431, 432, 433, 442, // open_tree to fspick, mount_setattr
}, others...)

// missing are calls that programs do without where a kernel has none: memory that no limit
// counts, and what hides its flags or modes from a filter.
var missing = []uint32{memfdCreate, shmget, 435, 437, 447} // clone3, openat2, memfd_secret

// newNamespaces are the flags of clone that make one.
const newNamespaces = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
	syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | 0x02000000 // control groups

// terminalTricks put words into another program's terminal.
var terminalTricks = []uint32{0x5412, 0x541C}

// modeCall is a call that gives a file its mode. The numbers are those of its arguments; one
// with flags does so only where they say that it creates.
type modeCall struct{ number, mode, flags uint32 }

var modeCalls = append([]modeCall{
	{syscall.SYS_FCHMOD, 1, 0}, {syscall.SYS_FCHMODAT, 2, 0}, {452, 2, 0}, // fchmodat2
	{syscall.SYS_MKNODAT, 2, 0}, {syscall.SYS_MKDIRAT, 2, 0},
	{syscall.SYS_OPENAT, 3, 2}, {syscall.SYS_MQ_OPEN, 2, 1},
}, olderModeCalls...)

const (
	// setID are the modes with which others run a file as its owner or its group.
	setID = syscall.S_ISUID | syscall.S_ISGID
	// creates are the flags with which opening makes a file, nameless ones included.
	creates = syscall.O_CREAT | 0x400000
)

// schedCalls change how a process is scheduled, which their first argument names; 0 is the
// caller.
var schedCalls = []uint32{
	syscall.SYS_SCHED_SETAFFINITY, syscall.SYS_SCHED_SETSCHEDULER, syscall.SYS_SCHED_SETPARAM, schedSetattr,
}

// Whose priority is changed: that of all processes of a user.
const prioUser, ioprioUser = 2, 3

// filter refuses system calls to this thread and all that it starts. A socket may be of the given families.
// Apart says that no processes but the room's can be seen.
func filter(sockets []int64, apart bool) error {
	f := instructions{
		{Code: load, K: atProcessor}, {Code: jumpEqual, K: processor, Jt: 1},
		{Code: answer, K: refuse}, // another processor's calls have other numbers
		{Code: load, K: atNumber}, {Code: jumpAbove, K: lastNumber, Jf: 1},
		{Code: answer, K: refuse},
	}
	for _, nr := range refused {
		f.on(nr, end(refuse))
	}
	for _, nr := range missing {
		f.on(nr, end(unknown))
	}
	f.on(syscall.SYS_CLONE, refuseBits(0, newNamespaces), end(permit))
	f.on(syscall.SYS_IOCTL, refuseEqual(1, terminalTricks...), end(permit))
	f.on(syscall.SYS_SOCKET, permitOnly(0, sockets...))
	f.on(syscall.SYS_PRLIMIT64, permitOnly(0, 0)) // the caller's own
	for _, c := range modeCalls {
		f.on(c.number, c.unlessCreating(), refuseBits(c.mode, setID), end(permit))
	}
	if !apart { // other processes can be seen; elsewhere all are the room's own, and threads bind each other to processors
		for _, nr := range schedCalls {
			f.on(nr, permitOnly(0, 0))
		}
		f.on(syscall.SYS_SETPRIORITY, refuseEqual(0, prioUser), permitOnly(1, 0))
		f.on(syscall.SYS_IOPRIO_SET, refuseEqual(0, ioprioUser), permitOnly(1, 0))
	}
	f = append(f, end(permit)...)
	program := struct {
		length uint16
		first  *syscall.SockFilter
	}{uint16(len(f)), &f[0]}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&program)), 0, 0, 0)
	return errOf(errno)
}
