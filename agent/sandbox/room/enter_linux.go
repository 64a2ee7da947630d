package room

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// enter puts up the walls around this thread, and becomes the program or starts it. What
// it may still do gets less with each step, so their order matters.
func enter(p Plan, args []string) {
	// It ends with its supervisor, whose main thread has started it and lives as long.
	must("depend on its supervisor", prctl(prSetPdeathsig, uintptr(syscall.SIGKILL)))
	for _, fd := range numbers("/proc/self/fd") {
		if fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	must("lower its priority", giveWay())
	if p.Limits.Memory > 0 {
		// Where memory runs out all the same, the kernel takes a command before the server.
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	}
	if p.Namespaces {
		must("build its file system", build(p))
	}
	if p.Network {
		must("bring up loopback", loopbackUp())
	}
	must("enter the working folder", os.Chdir(p.Dir))
	must("set limits", limit(p.Limits, p.Apart))
	if p.Apart || p.Landlock || p.Filter {
		must("give up privileges", dropPrivileges())
	}
	if p.Landlock {
		must("use Landlock", confine(p))
	}
	if p.Filter {
		must("filter system calls", filter(p.Sockets, p.Apart))
	}
	if p.Namespaces {
		syscall.Exit(begin(args))
	}
	must("start "+args[0], syscall.Exec(args[0], args, os.Environ()))
}

// niceness is how much less urgent programs are than the server. Beside twenty busy
// processes on two processors, one was measured to get an eighth of a processor, by a kernel
// that shares them by sessions. With 10 it was a thirtieth, and short commands reached their
// time limit.
const niceness = 5

// giveWay lets others go first where processors are short.
func giveWay() error {
	most, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	nice := min(20-most+niceness, 19) // the call counts down from 20
	// Where the kernel shares processors by sessions first, the session has one too.
	_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(niceness)), 0)
	return syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice)
}

// begin starts the program and stays as the first process of the namespaces until it
// ends: then the kernel ends all others in there. None of them gets at what it has open.
func begin(args []string) int {
	must("keep its files to itself", prctl(prSetDumpable, 0))
	pid, err := syscall.ForkExec(args[0], args, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Env: os.Environ()})
	must("start "+args[0], err)
	_ = syscall.Close(BegunFD)
	return waitFor(pid)
}

// limit bounds this process and those that it starts. Processes are counted by user:
// the number means this room only where it has a user namespace.
func limit(l Limits, alone bool) error {
	const rlimitNproc = 6
	if !alone {
		l.Processes = 0
	}
	for _, r := range []struct {
		resource int
		value    int64
	}{
		{syscall.RLIMIT_DATA, l.Memory}, {syscall.RLIMIT_FSIZE, l.FileSize}, {syscall.RLIMIT_NOFILE, l.Files}, {rlimitNproc, l.Processes},
	} {
		if r.value <= 0 {
			continue
		}
		var now syscall.Rlimit
		if err := syscall.Getrlimit(r.resource, &now); err != nil {
			return err
		}
		value := min(uint64(r.value), now.Max)
		if err := syscall.Setrlimit(r.resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return &failure{"limit " + strconv.Itoa(r.resource), err}
		}
	}
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

const (
	prSetPdeathsig  = 1
	prCapbsetDrop   = 24
	prSetNoNewPrivs = 38
	prCapAmbient    = 47
	ambientClearAll = 4
	lastCapability  = 63 // there are fewer; the kernel says so
	capVersion3     = 0x20080522
)

// dropPrivileges takes all capabilities away, for good: no program can give them back.
func dropPrivileges() error {
	for c := uintptr(0); c <= lastCapability; c++ {
		if prctl(prCapbsetDrop, c) != nil {
			break // beyond the last one, or nothing to drop
		}
	}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, ambientClearAll, 0, 0, 0, 0) // none is none
	header := struct{ version, pid uint32 }{capVersion3, 0}
	var none [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0); errno != 0 {
		return errno
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0)
	return errOf(errno)
}

// loopbackUp gives the room a loopback of its own: programs talk to themselves there.
func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	return errOf(errno)
}
