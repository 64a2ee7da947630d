package mcp

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"fusebox/agent"
	"fusebox/agent/tools/sandboxed"
)

// TestServersPlantNoSetuidPrograms: they run behind the same walls as commands.
func TestServersPlantNoSetuidPrograms(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"setuid":              `: > s; chmod 4755 s`,
		"setgid":              `: > s; chmod g+s s`,
		"a folder":            `mkdir s; chmod 2755 s`,
		"a copy":              `install -m 6755 /bin/true s`,
		"another's resources": `perl -e '$l = "\0" x 16; syscall(` + strconv.Itoa(unix.SYS_PRLIMIT64) + `, 1, 7, 0, $l); die $!'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.start(t, Server{Name: "mad", Transport: Stdio, Command: []string{"sh", "-c", script + " >&2; exit 3"}})
			if problem := w.becomes(t, agent.ServerFailed).Problem; !strings.Contains(problem, "Operation not permitted") {
				t.Errorf("it says %q", problem)
			}
			info, err := os.Stat(filepath.Join(w.data, sandboxed.Folder, "mad", "s"))
			if err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
				t.Errorf("it has left %v", info.Mode())
			}
		})
	}
}
