package room

import (
	"os"
	"strconv"
	"syscall"
)

// unlinked are the files on disk that have no name any more. They last as long as a process has
// them open, runs, or maps them, or as they are on their way through a socket.
type unlinked struct {
	apart bool // the folders for temporary files are the room's own, and have a size
	seen  sights
}

// held is how much they hold.
func (u *unlinked) held() int64 {
	now, travels := sights{}, false
	for _, pid := range Descendants(os.Getpid()) {
		travels = u.openIn(pid, now) || travels
		for _, m := range mappedBy(pid) {
			if !m.memory {
				now.addMapped(m)
			}
		}
	}
	if travels { // which ones cannot be known
		for number, was := range u.seen {
			now.add(number, was.held, false)
		}
	}
	sum := now.after(u.seen)
	u.seen = now
	return sum
}

// openIn adds those that a process has open, and reports whether files wait in its sockets.
func (u *unlinked) openIn(pid int, now sights) (travels bool) {
	folder := "/proc/" + strconv.Itoa(pid)
	own := map[uint64]bool{} // the devices of the room's folders for temporary files
	for _, name := range []string{"/root/tmp", "/root/dev/shm"} {
		var s syscall.Stat_t
		if u.apart && syscall.Stat(folder+name, &s) == nil {
			own[s.Dev] = true
		}
	}
	look := func(name string) (socket bool) {
		var s syscall.Stat_t
		if syscall.Stat(name, &s) != nil {
			return false
		}
		if s.Mode&syscall.S_IFMT == syscall.S_IFREG && s.Nlink == 0 && !own[s.Dev] {
			now.add(s.Ino, s.Blocks*512, true)
		}
		return s.Mode&syscall.S_IFMT == syscall.S_IFSOCK
	}
	look(folder + "/exe")
	for _, fd := range numbers(folder + "/fd") {
		if look(folder+"/fd/"+strconv.Itoa(fd)) && filesWait(folder+"/fdinfo/"+strconv.Itoa(fd)) {
			travels = true
		}
	}
	return travels
}

// filesWait reports whether a socket holds files that nobody has taken yet.
func filesWait(info string) bool {
	text, err := os.ReadFile(info)
	if err != nil {
		return false
	}
	for _, line := range linesOf(string(text)) {
		if name, n := cut(line, ':'); name == "scm_fds" {
			return len(wordsOf(n)) == 1 && wordsOf(n)[0] != "0"
		}
	}
	return false
}
