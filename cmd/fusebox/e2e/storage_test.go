package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fusebox/agent/agenttest"
)

// somebody is an account of the system that owns nothing: root may read and remove
// whatever the modes are.
const somebody = 65534

// asSomebody has a command run without the rights of root, who may be running the tests,
// and gives it what is below some folders.
func asSomebody(t *testing.T, cmd *exec.Cmd, folders ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: somebody, Gid: somebody}}
	for _, folder := range folders {
		giveAway(t, folder)
	}
}

// giveAway gives somebody a folder and what is below it, however deep.
func giveAway(t *testing.T, folder string) {
	t.Helper()
	must(t, os.Lchown(folder, somebody, somebody))
	root, err := os.OpenRoot(folder)
	must(t, err)
	giveAwayBelow(t, root)
}

func giveAwayBelow(t *testing.T, dir *os.Root) {
	t.Helper()
	defer func() { _ = dir.Close() }()
	for _, name := range entriesOf(t, dir) {
		must(t, dir.Lchown(name, somebody, somebody))
		if info, err := dir.Lstat(name); err == nil && info.IsDir() {
			below, err := dir.OpenRoot(name)
			must(t, err)
			giveAwayBelow(t, below)
		}
	}
}

// resident is who the program runs as, in a folder that is theirs: root, or somebody where
// the tests have the choice.
type resident struct {
	t   *testing.T
	dir string
	uid int
}

func (r resident) command(data string, args ...string) *exec.Cmd {
	cmd := command(r.t, agenttest.Context(r.t), []string{"FUSEBOX_DATA=" + data, "FUSEBOX_ADDR=127.0.0.1:0", "HOME=" + r.dir, atOnce}, args...)
	if r.uid == somebody {
		asSomebody(r.t, cmd)
	}
	return cmd
}

// serve starts a server. What is in the folder becomes its own.
func (r resident) serve(data string) *program {
	r.t.Helper()
	if r.uid == somebody {
		giveAwayIfRoot(r.t, r.dir)
	}
	p := start(r.t, r.command(data))
	p.data, p.url = data, p.logged(`listening.* url=(\S+)`)
	return p
}

// fuse runs a command that ends with a status, and returns what it says.
func (r resident) fuse(status int, data string, args ...string) string {
	r.t.Helper()
	cmd := r.command(data, args...)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status {
		r.t.Errorf("%q: status %d, want %d: %s", args, got, status, out)
	}
	return string(out)
}

// reachable is a folder for each user, which t.TempDir is not where root runs the tests.
func reachable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fusebox-somebody-")
	must(t, err)
	must(t, os.Chmod(dir, 0o755))
	for above := filepath.Dir(dir); above != "/"; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		must(t, err)
		if os.Geteuid() == 0 && info.Mode()&0o001 == 0 {
			t.Skipf("the folder for temporary files, %s, is closed to others", above)
		}
	}
	t.Cleanup(func() {
		_ = exec.Command("chmod", "-R", "u+rwx", dir).Run() //nolint:noctx // after the test
		_ = os.RemoveAll(dir)
	})
	return dir
}

// hostileFiles puts files into a folder that make trouble where the server is not root.
func hostileFiles(t *testing.T, folder string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(folder, "a\377b"), []byte("no UTF-8"), 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "locked"), []byte("for nobody"), 0o600))
	must(t, os.Chmod(filepath.Join(folder, "locked"), 0))
	deep := filepath.Join(folder, strings.Repeat("d/", 220), "bottom") // a descriptor each would be too many
	must(t, os.MkdirAll(deep, 0o700))
	must(t, os.WriteFile(filepath.Join(deep, "file"), nil, 0o600))
	must(t, os.Chmod(deep, 0o300))
	for name, mode := range map[string]os.FileMode{"shut": 0, "blind": 0o300, "fixed": 0o500} {
		must(t, os.MkdirAll(filepath.Join(folder, name, "below"), 0o700))
		must(t, os.WriteFile(filepath.Join(folder, name, "below", "file"), []byte(name), 0o600))
		must(t, os.Chmod(filepath.Join(folder, name, "below"), mode))
		must(t, os.Chmod(filepath.Join(folder, name), mode))
	}
}

// TestStorageWhereNotRoot: whatever a command has left, a backup has it, and deleting its
// chat removes it. What cannot be read or removed is told to admins, and tried again.
func TestStorageWhereNotRoot(t *testing.T) {
	t.Parallel()
	dir := reachable(t)
	data, file, fresh := filepath.Join(dir, "data"), filepath.Join(dir, "monday.db"), filepath.Join(dir, "fresh")
	must(t, os.Mkdir(data, 0o700))
	onlyAdmin.put(t, data)
	r := resident{t, dir, somebody}
	fuse := r.fuse
	p := r.serve(data)
	a := api{t, p.url, p.token(adminEmail)}
	first, run := a.ask("list the files")
	a.rests(run)
	second, run := a.ask("list the files")
	a.rests(run)
	space := func(conversation string) string { return filepath.Join(data, "workspaces", conversation) }
	hostileFiles(t, space(first))
	giveAwayIfRoot(t, space(first))

	fuse(exitOK, data, "backup", file)
	fuse(exitOK, fresh, "restore", file)
	for name, want := range map[string]string{"a\377b": "no UTF-8", "locked": "for nobody", "shut/below/file": "shut", "blind/below/file": "blind", "fixed/below/file": "fixed"} {
		if got, err := os.ReadFile(filepath.Join(fresh, "workspaces", first, name)); os.Geteuid() == 0 && (err != nil || string(got) != want) {
			t.Errorf("%q holds %q, %v", name, got, err)
		}
	}
	if page := a.page(t, "/admin/storage"); !strings.Contains(page, "Nothing was left out") {
		t.Errorf("the page does not tell of the backup: %s", page)
	}
	if status, body := a.call(http.MethodDelete, "/api/v1/conversations/"+first, ""); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
	if _, err := os.Lstat(space(first)); err == nil {
		t.Error("the files of the deleted chat are still there")
	}
	if os.Geteuid() != 0 {
		return // only root can make what others can neither read nor remove
	}

	stranger := filepath.Join(space(second), "theirs")
	must(t, os.Mkdir(stranger, 0o700))
	must(t, os.WriteFile(filepath.Join(stranger, "secret"), []byte("x"), 0o600))
	if said := fuse(exitTripped, data, "backup", filepath.Join(dir, "tuesday.db")); !strings.Contains(said, second+"/theirs: permission denied") {
		t.Errorf("backup said %q", said)
	}
	if page := a.page(t, "/admin/storage"); !strings.Contains(page, "theirs") || !strings.Contains(page, "permission denied") {
		t.Errorf("the page does not tell what the backup lacks: %s", page)
	}
	a.must(http.MethodDelete, "/api/v1/conversations/"+second, "")
	if page := a.page(t, "/admin/storage"); !strings.Contains(page, "<code>"+second) {
		t.Errorf("the page does not tell what could not be removed: %s", page)
	}
	p.kill()
	a.url = r.serve(data).url // it gives everything to the server's account
	agenttest.Eventually(t, "the files are removed, and the page tells of none", func() bool {
		_, err := os.Lstat(space(second))
		return err != nil && strings.Contains(a.page(t, "/admin/storage"), "Nothing is left behind")
	})
}

func giveAwayIfRoot(t *testing.T, folder string) {
	t.Helper()
	if os.Geteuid() == 0 {
		giveAway(t, folder)
	}
}
