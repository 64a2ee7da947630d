package sandbox

import (
	"os"
	"strconv"
	"strings"

	"fusebox/agent/sandbox/room"
)

// through has bubblewrap build the file system and the namespaces: its command line, but
// for the end that the supervisor adds, and this executable as it is found in there.
func (w way) through(p *room.Plan, spec Spec) {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	args := []string{
		w.bubblewrap, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL",
		"--proc", "/proc", "--dev", "/dev",
	}
	for _, folder := range []string{"/tmp", "/dev/shm"} {
		args = append(args, "--perms", "1777", "--size", strconv.FormatInt(p.Limits.Temp, 10), "--tmpfs", folder)
	}
	if spec.Network {
		args = append(args, "--share-net")
	}
	for _, path := range p.Read {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxCopy && strings.HasPrefix(path, "/etc/") {
			p.Copies = append(p.Copies, path)
		} else {
			args = append(args, bind(path)...)
		}
	}
	args = append(args, "--ro-bind", self, self)
	for _, path := range spec.Write {
		args = append(args, "--bind", path, path)
	}
	p.Self, p.Through = self, args
}

// maxCopy bounds the files of /etc that each command gets a copy of.
const maxCopy = 256 << 10

// bind shows a path, or makes the same link to a folder.
func bind(path string) []string {
	if to, err := os.Readlink(path); err == nil {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return []string{"--symlink", to, path}
		}
	}
	return []string{"--ro-bind-try", path, path}
}
