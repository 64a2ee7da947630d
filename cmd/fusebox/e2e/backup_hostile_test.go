package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tooLargeFile is the name of a file that a backup leaves out, tooDeep how many folders
// deep another one lies.
const (
	tooLargeFile = "apparently a gigabyte"
	tooDeep      = 300
	deepest      = 255 // folders in a workspace
)

// hostileNames are names of files as commands can give them.
var hostileNames = []string{
	"a\377b", "\xfe", "two\nlines", "a\rb", "tab\there", "\x1b[2J\x1b]0;x\a", "-rf", "'; DROP TABLE sqlar; --", `back\slash`, `"quoted"`, " around ", "%2e%2e", "*?[a]",
	"...", ".hidden", "é", "e\u0301", "\u202eexe.txt", "🙂", strings.Repeat("x", 255), strings.Repeat("é", 127), strings.Repeat("\377", 255),
}

// fillWorkspace puts into a workspace what makes trouble on the way into a backup, out of
// it, or both: names, modes, links, paths, sizes, and what is no file.
func fillWorkspace(t *testing.T, space *os.Root) {
	t.Helper()
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		must(t, space.MkdirAll(path.Dir(name), 0o700))
		must(t, space.WriteFile(name, []byte(content), 0o600))
		must(t, space.Chmod(name, mode))
	}
	for i, name := range hostileNames {
		write("names/"+name, fmt.Sprint("file ", i), 0o600)
		write("folders/"+name+"/"+name, fmt.Sprint("file in folder ", i), 0o600)
	}
	for _, mode := range []os.FileMode{0, 0o100, 0o200, 0o300, 0o400, 0o500, 0o777} {
		write(fmt.Sprintf("modes/file %o", mode), fmt.Sprint(mode), mode)
		write(fmt.Sprintf("modes/folder %o/below/file", mode), fmt.Sprint(mode), mode)
		must(t, space.Chmod(fmt.Sprintf("modes/folder %o/below", mode), mode))
		must(t, space.Chmod(fmt.Sprintf("modes/folder %o", mode), mode))
	}
	must(t, space.Mkdir("nothing in it", 0o500))
	must(t, space.Mkdir("links", 0o700))
	for name, target := range map[string]string{
		"dangling": "nowhere", "absolute": "/etc/passwd", "up": "../../../../../../../../etc/passwd", "folder": "/etc", "itself": "itself", "there": "back", "back": "there",
		"above": "..", "database": "../../../fusebox.db", "\377": "\376", "long": strings.Repeat("y", 4000),
	} {
		must(t, space.Symlink(target, "links/"+name))
	}
	write("same", "one file of three names", 0o640)
	must(t, space.Link("same", "names/same"))
	must(t, space.Link("same", "same again"))
	write(strings.Repeat(strings.Repeat("n", 200)+"/", 40)+"file", "beyond the longest path", 0o600)
	write(strings.Repeat("d/", tooDeep)+"file", "too deep", 0o600)
	write("large", strings.Repeat("a large file ", 1<<19), 0o600)
	write("sparse", "begins", 0o600)
	write(tooLargeFile, "begins", 0o600)
	for name, size := range map[string]int64{"sparse": 16 << 20, tooLargeFile: 1 << 30} {
		f, err := space.OpenFile(name, os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteAt([]byte("in the middle"), size/2)
		must(t, err)
		must(t, f.Truncate(size))
		must(t, f.Close())
	}
	for name, kind := range map[string]uint32{"pipe": syscall.S_IFIFO, "names/p\377pe": syscall.S_IFIFO, "socket": syscall.S_IFSOCK} {
		must(t, syscall.Mknod(filepath.Join(space.Name(), name), kind|0o600, 0))
	}
	if os.Geteuid() != 0 {
		return
	}
	const zeros = 1<<8 | 5 // the numbers of /dev/zero, which never ends
	if err := syscall.Mknod(filepath.Join(space.Name(), "device"), syscall.S_IFCHR|0o666, zeros); err != nil {
		t.Logf("without a device: %v", err)
	}
}

// TestBackupUnderLoad: while chats are at work, files arrive, are edited, and are swapped for
// links and pipes, a backup ends, follows nothing out of the data folder, changes nothing,
// and has byte by byte what it does not name as left out. A server is restored from it.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	users := map[string]int{"somebody": somebody}
	if os.Geteuid() == 0 {
		users["root"] = 0
	}
	for name, uid := range users {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backUpUnderLoad(t, resident{t, reachable(t), uid})
		})
	}
}

func backUpUnderLoad(t *testing.T, r resident) {
	t.Helper()
	data, fresh := filepath.Join(r.dir, "data"), filepath.Join(r.dir, "fresh")
	must(t, os.Mkdir(data, 0o700))
	must(t, os.MkdirAll(filepath.Join(r.dir, "outside"), 0o755))
	must(t, os.WriteFile(filepath.Join(r.dir, "outside", "secret"), []byte(outsideSecret), 0o644))
	onlyAdmin.put(t, data)
	p := r.serve(data)
	a := api{t, p.url, p.token(adminEmail)}
	quiet, run := a.ask("list the files")
	a.rests(run)
	busy, run := a.ask("list the files")
	a.rests(run)
	space, err := os.OpenRoot(filepath.Join(data, "workspaces", quiet))
	must(t, err)
	defer func() { _ = space.Close() }()
	fillWorkspace(t, space)
	if r.uid == somebody {
		giveAwayIfRoot(t, space.Name())
	}
	before, log := filesBelow(t, space.Name()), a.events(quiet, 0)

	l := startLoad(a, filepath.Join(data, "workspaces", busy), busy, filepath.Join(r.dir, "outside"))
	l.past(3)
	runs, files := l.acknowledged()
	file := filepath.Join(r.dir, "monday.db")
	said := r.fuse(exitTripped, data, "backup", file)
	l.past(3)
	l.stop()
	if after := filesBelow(t, space.Name()); !maps.Equal(before, after) {
		t.Errorf("the backup has changed files: %s", differences(before, after))
	}
	r.fuse(exitOK, fresh, "restore", file)

	restored := filesBelow(t, filepath.Join(fresh, "workspaces", quiet))
	leftOut := leftOutOf(t, said, "workspaces/"+quiet+"/")
	kept := maps.Clone(before)
	maps.DeleteFunc(kept, func(name string, _ foundFile) bool {
		return slices.ContainsFunc(leftOut, func(l string) bool { return name == l || strings.HasPrefix(name, l+"/") })
	})
	if !maps.Equal(kept, restored) {
		t.Errorf("restored are other files: %s", differences(kept, restored))
	}
	for name, f := range before {
		left := slices.Contains(leftOut, name)
		empty := f.mode.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0
		deep := strings.Count(name, "/") == deepest
		if left != (empty || deep || name == tooLargeFile) {
			t.Errorf("%.300q is named as left out: %v", name, left)
		}
	}
	for name, f := range filesBelow(t, filepath.Join(fresh, "workspaces", busy)) {
		if f.mode.IsRegular() && (strings.Contains(f.content, outsideSecret) || strings.Contains(f.content, "root:x:0:0")) {
			t.Errorf("%q was read outside: %q", name, f.content)
		}
	}

	theirs := api{t, r.serve(fresh).url, a.token}
	if after := theirs.events(quiet, 0); fmt.Sprint(after) != fmt.Sprint(log) {
		t.Error("the restored log is another one")
	}
	checkServes(t, a, theirs, "/api/v1/conversations/"+quiet+"/files")
	if run := theirs.post(quiet, "hello"); theirs.rests(run)["status"] != "finished" {
		t.Error("the restored server answers nobody")
	}
	l.checkKept(theirs, runs, files)
}

// leftOutOf are the names below a folder that a backup says it has left out.
func leftOutOf(t *testing.T, said, folder string) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^left out: ("(?:[^"\\]|\\.)*"|[^"\n]*): .*$`).FindAllStringSubmatch(said, -1) {
		name := m[1]
		if strings.HasPrefix(name, `"`) {
			var err error
			name, err = strconv.Unquote(name)
			must(t, err)
		}
		if below, ok := strings.CutPrefix(name, folder); ok {
			names = append(names, below)
		}
	}
	return names
}

// differences are some of what is not the same in two trees.
func differences(a, b map[string]foundFile) string {
	var said strings.Builder
	for name := range maps.Keys(a) {
		if a[name] != b[name] {
			fmt.Fprintf(&said, "%.200q is %.100v, was %.100v\n", name, b[name], a[name])
		}
	}
	for name := range maps.Keys(b) {
		if _, known := a[name]; !known {
			fmt.Fprintf(&said, "%.200q is new: %.100v\n", name, b[name])
		}
	}
	return fmt.Sprintf("%.3000s", said.String())
}

// checkServes wants the same list of files from two servers, and each of them.
func checkServes(t *testing.T, a, b api, files string) {
	t.Helper()
	type served struct {
		Path       string
		Bytes      int64
		ModifiedAt time.Time
	}
	var lists [2][]served
	for i, who := range []api{a, b} {
		_, raw := who.call("GET", files, "")
		var l struct{ Items []served }
		must(t, json.Unmarshal(raw, &l))
		for _, f := range l.Items {
			if f.Path != tooLargeFile && strings.Count(f.Path, "/") < deepest {
				f.ModifiedAt = f.ModifiedAt.Truncate(time.Second)
				lists[i] = append(lists[i], f)
			}
		}
	}
	if len(lists[0]) < 50 || !slices.Equal(lists[0], lists[1]) {
		t.Errorf("the files are listed as %.2000v, were %.2000v", lists[1], lists[0])
	}
	for _, f := range lists[0] {
		if f.Bytes > 1<<20 {
			continue
		}
		status, content := a.call("GET", files+"/"+url.PathEscape(f.Path), "")
		if now, restored := b.call("GET", files+"/"+url.PathEscape(f.Path), ""); now != status || string(restored) != string(content) {
			t.Errorf("%q is served as %d %.100q, was %d %.100q", f.Path, now, restored, status, content)
		}
	}
}
