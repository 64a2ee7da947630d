package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"fusebox/agent/sandbox/room"
)

// nobody is the user that programs are where the server is root.
const nobody = 65534

// way is how walls are built here.
type way struct {
	namespaces bool   // of our own
	bubblewrap string // its path, "" for none
	landlock   bool
	filter     bool
	walled     bool
	owner      *owner
}

// plan says what becomes of a program on this way.
func (w way) plan(spec Spec, system []string) room.Plan {
	p := room.Plan{
		Dir: spec.Dir, Namespaces: w.namespaces, Write: spec.Write, Self: os.Args[0],
		Landlock: w.landlock, Filter: w.filter, Held: spec.Held,
	}
	if !w.walled {
		return p
	}
	p.Limits = spec.Limits.Or(usual)
	p.Read = append(append([]string{}, system...), spec.Read...)
	p.Apart = w.namespaces || w.bubblewrap != ""
	p.Temp = !p.Apart
	p.NoTCP = !p.Apart && !spec.Network
	p.Loopback = w.namespaces && !spec.Network
	if p.Apart || spec.Network {
		p.Sockets = families
	}
	if w.bubblewrap != "" {
		p.Self, p.Through = w.through(p, spec)
	}
	return p
}

// capabilities are what building a file system and a network takes. They reach no
// further than the namespaces, and no program gets them.
var capabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}

// attributes are those of the supervisor's process.
func (w way) attributes(network bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if !w.namespaces {
		return attr
	}
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if !network {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if w.owner != nil {
		uid, gid = nobody, nobody
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		attr.GidMappingsEnableSetgroups = true
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: inside(uid), HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: inside(gid), HostID: gid, Size: 1}}
	attr.AmbientCaps = capabilities
	return attr
}

// inside is how a user is called in the room: nobody is root there.
func inside(id int) int {
	if id == 0 {
		return nobody
	}
	return id
}
