package room

import (
	"os"
	"strconv"
	"syscall"
)

const (
	prSetDumpable       = 4
	prSetChildSubreaper = 36
)

// supervise starts the program behind its walls, and returns its exit code once
// nothing of it is left. It ends the program where the server is gone, or says
// so, and where the program outgrows its limits.
func supervise(p Plan, args []string) int {
	// What the program starts becomes the supervisor's child when its own parent is gone.
	_ = prctl(prSetChildSubreaper, 1)
	syscall.CloseOnExec(ReportFD)
	syscall.CloseOnExec(ControlFD)
	CloseInherited(FirstMountFD + len(p.Mounts))
	if p.Held && !told() {
		return exitFailed
	}
	temp := ""
	if p.Temp {
		var err error
		temp, err = os.MkdirTemp("", "fusebox-")
		must("make a folder for temporary files", err)
		must("name the folder for temporary files", os.Setenv("TMPDIR", temp))
		p.Write = append(p.Write, temp)
	}
	pid, begun := start(p, args)
	_ = prctl(prSetDumpable, 0) // nobody looks into it; before, nobody could have mapped its child's users
	e := &ending{temp: temp}
	go func() {
		for told() { // nothing more is to be said but the end
			continue
		}
		e.now(137, "")
	}()
	if p.Limits != (Limits{}) {
		go func() {
			<-begun
			go watchFolders(measures(p, temp), e)
			watch(p.Limits, e)
		}()
	}
	code := waitFor(pid)
	e.now(code, p.Limits.reached(code))
	return 0
}

// CloseInherited closes what whoever has started this process left open, from a descriptor on: that
// would be open in the programs that it starts, too, and what it has opened itself would not.
func CloseInherited(from int) {
	for _, fd := range numbers("/proc/self/fd") {
		flags, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		if fd >= from && errno == 0 && flags&syscall.FD_CLOEXEC == 0 {
			_ = syscall.Close(fd)
		}
	}
}

// reached says which limit the kernel has enforced, by the exit code of the program.
func (l Limits) reached(code int) string {
	if l.FileSize > 0 && code == 128+int(syscall.SIGXFSZ) {
		return "The command was ended: it wrote more than " + size(l.FileSize) + " to a file."
	}
	return ""
}

// told waits for a word on the control pipe; false is its end.
func told() bool {
	var word [1]byte
	for {
		n, err := syscall.Read(ControlFD, word[:])
		if err != syscall.EINTR {
			return n > 0
		}
	}
}

// start starts the entrance, and returns a channel that is closed once it has become the
// program, or has failed.
func start(p Plan, args []string) (pid int, begun <-chan struct{}) {
	through, copies := p.Through, p.Copies
	p.Through, p.Copies = nil, nil
	var ends [2]int
	must("make a pipe", syscall.Pipe2(ends[:], syscall.O_CLOEXEC))
	argv := append([]string{p.Self, Entrance, p.Encode()}, args...)
	path := "/proc/self/exe"
	files := []uintptr{0, 1, 2, ReportFD, uintptr(ends[1])}
	for i := range p.Mounts {
		files = append(files, uintptr(FirstMountFD+i))
	}
	if len(through) > 0 {
		for _, path := range copies { // bubblewrap copies them from their descriptors
			fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
			if err != nil {
				continue // what cannot be read is left out
			}
			through = append(through, "--perms", "0644", "--file", strconv.Itoa(len(files)), path)
			files = append(files, uintptr(fd))
		}
		argv = append(append(through, "--remount-ro", "/", "--"), argv...)
		path = argv[0]
	}
	var err error
	pid, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{Files: files, Env: os.Environ(), Sys: p.attributes()})
	must("start", err)
	for _, fd := range files[4:] {
		_ = syscall.Close(int(fd)) // the child has its own
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = syscall.Read(ends[0], make([]byte, 1)) // it ends, and nothing else
	}()
	return pid, done
}

// Capabilities to build a file system and a network. They reach no further than the new
// namespaces, and no program gets them.
const (
	capSetPcap  = 8
	capNetAdmin = 12
	capSysAdmin = 21
)

func (p Plan) attributes() *syscall.SysProcAttr {
	if !p.Namespaces {
		return &syscall.SysProcAttr{Setsid: true}
	}
	attr := &syscall.SysProcAttr{
		Setsid:      true,
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: int(p.UserInside), HostID: int(p.User), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: int(p.GroupInside), HostID: int(p.Group), Size: 1}},
		AmbientCaps: []uintptr{capSetPcap, capNetAdmin, capSysAdmin},
	}
	if p.Network {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	if p.Switch {
		attr.Credential = &syscall.Credential{Uid: uint32(p.UserInside), Gid: uint32(p.GroupInside)}
		attr.GidMappingsEnableSetgroups = true
	}
	return attr
}

// waitFor reaps whatever ends until the program does, and returns its exit
// code as a shell would.
func waitFor(pid int) int {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return exitFailed
		case got == pid && status.Signaled():
			return 128 + int(status.Signal())
		case got == pid:
			return status.ExitStatus()
		}
	}
}

func prctl(option, arg uintptr) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, arg, 0, 0, 0, 0)
	return errOf(errno)
}

func errOf(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
