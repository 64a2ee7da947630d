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

	// Where the call's number, its processor and the low halves of its arguments are.
	atNumber, atProcessor, atFirst, atSecond = 0, 4, 16, 24

	prSetSeccomp      = 22
	seccompModeFilter = 2
)

// refused are the calls that are no program's business in a room: new mounts and
// namespaces, other processes' memory, the kernel's keys, modules, and clocks, and
// what runs calls that no filter sees.
var refused = append([]uint32{
	syscall.SYS_MOUNT, syscall.SYS_UMOUNT2, syscall.SYS_PIVOT_ROOT, syscall.SYS_CHROOT, syscall.SYS_UNSHARE,
	syscall.SYS_SWAPON, syscall.SYS_SWAPOFF, syscall.SYS_REBOOT, syscall.SYS_SETHOSTNAME, syscall.SYS_SETDOMAINNAME,
	syscall.SYS_INIT_MODULE, syscall.SYS_DELETE_MODULE, syscall.SYS_ACCT, syscall.SYS_QUOTACTL, syscall.SYS_SYSLOG,
	syscall.SYS_SETTIMEOFDAY, syscall.SYS_CLOCK_SETTIME, syscall.SYS_ADJTIMEX, syscall.SYS_VHANGUP,
	syscall.SYS_PTRACE, syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY, syscall.SYS_KEYCTL, syscall.SYS_PERF_EVENT_OPEN,
	425, 426, 427, // io_uring
	428, 429, 430, 431, 432, 433, 442, // open_tree to fspick, mount_setattr
}, others...)

// missing are calls that programs do without where a kernel has none: memory that no limit
// counts, and what hides its flags from a filter.
var missing = []uint32{memfdCreate, shmget, 435, 447} // clone3, memfd_secret

// newNamespaces are the flags of clone that make one.
const newNamespaces = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
	syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | 0x02000000 // control groups

// terminalTricks put words into another program's terminal.
var terminalTricks = []uint32{0x5412, 0x541C}

// filter refuses system calls to this thread and all that it starts. A socket may be of the given families.
func filter(sockets []int64) error {
	f := assemble(sockets)
	program := struct {
		length uint16
		first  *syscall.SockFilter
	}{uint16(len(f)), &f[0]}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&program)), 0, 0, 0)
	return errOf(errno)
}

func assemble(sockets []int64) (f []syscall.SockFilter) {
	add := func(code uint16, k uint32, yes, no uint8) {
		f = append(f, syscall.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
	}
	add(load, atProcessor, 0, 0)
	add(jumpEqual, processor, 1, 0)
	add(answer, refuse, 0, 0) // another processor's calls have other numbers
	add(load, atNumber, 0, 0)
	add(jumpAbove, lastNumber, 0, 1)
	add(answer, refuse, 0, 0)
	for _, nr := range refused {
		add(jumpEqual, nr, 0, 1)
		add(answer, refuse, 0, 0)
	}
	for _, nr := range missing {
		add(jumpEqual, nr, 0, 1)
		add(answer, unknown, 0, 0)
	}
	add(jumpEqual, syscall.SYS_CLONE, 0, 4)
	add(load, atFirst, 0, 0)
	add(jumpBits, newNamespaces, 0, 1)
	add(answer, refuse, 0, 0)
	add(answer, permit, 0, 0)
	add(jumpEqual, syscall.SYS_IOCTL, 0, uint8(2+2*len(terminalTricks)))
	add(load, atSecond, 0, 0)
	for _, request := range terminalTricks {
		add(jumpEqual, request, 0, 1)
		add(answer, refuse, 0, 0)
	}
	add(answer, permit, 0, 0)
	add(jumpEqual, syscall.SYS_SOCKET, 0, uint8(2+2*len(sockets)))
	add(load, atFirst, 0, 0)
	for _, family := range sockets {
		add(jumpEqual, uint32(family), 0, 1)
		add(answer, permit, 0, 0)
	}
	add(answer, refuse, 0, 0)
	add(answer, permit, 0, 0)
	return f
}
