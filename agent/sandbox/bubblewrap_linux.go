package sandbox

import (
	"os"
	"strconv"

	"fusebox/agent/sandbox/room"
)

// through is the command line by which bubblewrap builds the file system and the
// namespaces, and this executable as it is found in there.
func (w way) through(p room.Plan, spec Spec) (self string, args []string) {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	args = []string{
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
		args = append(args, bind(path)...)
	}
	args = append(args, "--ro-bind", self, self)
	for _, path := range spec.Write {
		args = append(args, "--bind", path, path)
	}
	return self, append(args, "--remount-ro", "/", "--")
}

// bind shows a path, or makes the same link to a folder.
func bind(path string) []string {
	if to, err := os.Readlink(path); err == nil {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return []string{"--symlink", to, path}
		}
	}
	return []string{"--ro-bind-try", path, path}
}
