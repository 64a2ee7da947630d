package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"fusebox/agent/sandbox/room"
)

// owner lets programs be another user than the server, which is root, and still own
// their workspaces: the files are root's on disk, and nobody's as the program sees them.
type owner struct{ userns *os.File }

// newOwner makes the mapping from root to nobody. It is kept by a user namespace whose
// one process has nothing to do and is gone again.
func newOwner() (*owner, error) {
	cmd := exec.Command("/proc/self/exe", room.Idler, "-") //nolint:noctx // it ends below
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: nobody, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: nobody, Size: 1}},
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("map users: %w", err)
	}
	defer func() { _ = cmd.Wait() }() // ended by the end of its input
	defer func(c io.Closer) { _ = c.Close() }(input)
	userns, err := os.Open("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/ns/user")
	if err != nil {
		return nil, fmt.Errorf("map users: %w", err)
	}
	return &owner{userns}, nil
}

// open opens what a program may reach besides the system's folders: nobody cannot
// walk there. It returns the paths in the order of the descriptors.
func (o *owner) open(r *Room, spec Spec) ([]string, error) {
	if o == nil {
		return nil, nil
	}
	paths := slices.Concat(spec.Write, spec.Read)
	for i, path := range paths {
		fd, err := room.OpenTree(path)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		r.files = append(r.files, os.NewFile(uintptr(fd), path))
		if err := room.MapOwner(fd, o.userns.Fd(), i >= len(spec.Write)); err != nil {
			return nil, fmt.Errorf("map the owner of %s: %w", path, err)
		}
	}
	return paths, nil
}
