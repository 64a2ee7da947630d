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
	if spec.Lasting {
		p.Limits.CPU = 0
	}
	p.Read = append(append([]string{}, system...), spec.Read...)
	p.Apart = w.namespaces || w.bubblewrap != ""
	p.Temp = !p.Apart
	p.NoTCP = !p.Apart && !spec.Network
	if w.namespaces {
		user, group := os.Geteuid(), os.Getegid()
		if w.owner != nil {
			user, group = nobody, nobody
		}
		p.Namespaces, p.Network, p.Switch = true, !spec.Network, w.owner != nil
		p.User, p.Group = int64(user), int64(group)
		p.UserInside, p.GroupInside = inside(user), inside(group)
	}
	if p.Apart || spec.Network {
		p.Sockets = families
	}
	if w.bubblewrap != "" {
		w.through(&p, spec)
	}
	return p
}

// inside is how a user is called in the room: nobody is root there.
func inside(id int) int64 {
	if id == 0 {
		return nobody
	}
	return int64(id)
}
