package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestServerClosesWhatItInherited: it keeps none of the files that whoever started it left open,
// once it has read its configuration from one.
func TestServerClosesWhatItInherited(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	onlyAdmin.put(t, data)
	written := filepath.Join(t.TempDir(), "fusebox.toml")
	must(t, os.WriteFile(written, []byte("[site]\n"), 0o600))
	settings, err := os.Open(written)
	must(t, err)
	cmd := command(t, context.WithoutCancel(t.Context()), []string{"FUSEBOX_DATA=" + data, "FUSEBOX_ADDR=127.0.0.1:0"}, "serve", "-config", "/dev/fd/3")
	cmd.ExtraFiles = []*os.File{settings}
	var reads []int
	for range 9 {
		var ends [2]int
		must(t, unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
		reads = append(reads, ends[0])
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(ends[1]), "pipe"))
	}
	p := start(t, cmd)
	for _, f := range cmd.ExtraFiles {
		must(t, f.Close())
	}
	p.logged(`listening.* url=(\S+)`)
	for i, fd := range reads {
		if n, err := unix.Read(fd, make([]byte, 1)); n != 0 || err != nil { // no end: somebody has it open
			t.Errorf("descriptor %d is still open: %v", 4+i, err)
		}
		must(t, unix.Close(fd))
	}
}
