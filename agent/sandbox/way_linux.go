package sandbox

import (
	"os"

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
func (w way) plan(spec Spec, system []string, limits Limits) room.Plan {
	p := room.Plan{
		Dir: spec.Dir, Write: spec.Write, Self: os.Args[0],
		Landlock: w.landlock, Filter: w.filter, Held: spec.Held,
	}
	if !w.walled {
		return p
	}
	p.Limits = spec.Limits.Or(limits)
	p.Read = append(append([]string{}, system...), spec.Read...)
	p.Apart = w.namespaces || w.bubblewrap != ""
	p.Temp = !p.Apart
	p.NoTCP = !p.Apart && !spec.Network
	if w.namespaces {
		p.Namespaces = w.separate(spec.Network)
	}
	if p.Apart || spec.Network {
		p.Sockets = families
	}
	if w.bubblewrap != "" {
		p.Self, p.Through = w.through(p, spec)
	}
	return p
}

// separate are the namespaces of a program.
func (w way) separate(network bool) *room.Namespaces {
	n := &room.Namespaces{Network: !network, User: os.Geteuid(), Group: os.Getegid(), Switch: w.owner != nil}
	if n.Switch {
		n.User, n.Group = nobody, nobody
	}
	n.UserInside, n.GroupInside = inside(n.User), inside(n.Group)
	return n
}

// inside is how a user is called in the room: nobody is root there.
func inside(id int) int {
	if id == 0 {
		return nobody
	}
	return id
}
