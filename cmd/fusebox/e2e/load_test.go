package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"fusebox/agent/agenttest"
)

// outsideSecret is in a file outside of the data folder.
const outsideSecret = "a secret outside"

// load is a chat in which people post, upload, and have files edited, while a program
// swaps files of its workspace for links that lead out, pipes, and folders.
type load struct {
	a            api
	chat, space  string
	outside      string
	over         atomic.Bool
	rounds       atomic.Int64 // how often the slowest of them has come around
	workers      sync.WaitGroup
	mu           sync.Mutex
	runs, copies []string // acknowledged: runs, and files with their own names in them
}

func startLoad(a api, space, chat, outside string) *load {
	l := &load{a: a, chat: chat, space: space, outside: outside}
	l.workers.Go(func() {
		for n := 0; !l.over.Load(); n++ {
			l.round(n)
			l.rounds.Add(1)
		}
	})
	l.workers.Go(func() {
		for !l.over.Load() {
			l.swap()
		}
	})
	a.t.Cleanup(l.stop)
	return l
}

func (l *load) stop() {
	l.over.Store(true)
	l.workers.Wait()
}

// past waits until everybody has come around some more times.
func (l *load) past(more int64) {
	l.a.t.Helper()
	to := l.rounds.Load() + more
	agenttest.Eventually(l.a.t, "more load", func() bool { return l.rounds.Load() >= to || l.a.t.Failed() })
}

// round uploads a file, and has one edited.
func (l *load) round(n int) {
	name := fmt.Sprintf("upload %d.txt", n)
	if status, said := l.a.sendsFile("/api/v1/conversations/"+l.chat+"/files", name, strings.Repeat(name+"\n", 5000)); status != http.StatusCreated {
		l.a.t.Errorf("the upload was answered with %d %s", status, said)
	}
	run := l.a.post(l.chat, "test edit")
	for l.a.rests(run)["status"] == "paused" {
		l.a.decide(run, `{"decision":"approve"}`)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs, l.copies = append(l.runs, run), append(l.copies, name)
}

// acknowledged are the runs and files that nobody may lose from now on.
func (l *load) acknowledged() (runs, files []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.runs), slices.Clone(l.copies)
}

// swap has a name be everything once.
func (l *load) swap() {
	name := filepath.Join(l.space, "swapped")
	for _, makes := range []func() error{
		func() error { return os.WriteFile(name, []byte("inside"), 0o644) },
		func() error { return syscall.Mkfifo(name, 0o644) },
		func() error { return os.Symlink(filepath.Join(l.outside, "secret"), name) },
		func() error { return os.Symlink(l.outside, name) },
		func() error { return os.Symlink("/etc/passwd", name) },
		func() error { return os.MkdirAll(filepath.Join(name, "secret"), 0o755) },
	} {
		if err := makes(); err != nil {
			l.a.t.Error(err)
		}
		if err := os.RemoveAll(name); err != nil {
			l.a.t.Error(err)
		}
	}
}

// checkKept wants what was acknowledged from another server.
func (l *load) checkKept(theirs api, runs, files []string) {
	l.a.t.Helper()
	for _, run := range runs {
		if got := theirs.must("GET", "/api/v1/runs/"+run, ""); got["status"] != "finished" {
			l.a.t.Errorf("run %s is restored as %v", run, got["status"])
		}
	}
	for _, name := range files {
		if _, got := theirs.call("GET", "/api/v1/conversations/"+l.chat+"/files/"+strings.ReplaceAll(name, " ", "%20"), ""); string(got) != strings.Repeat(name+"\n", 5000) {
			l.a.t.Errorf("%s is restored with %d bytes", name, len(got))
		}
	}
	if len(runs) == 0 {
		l.a.t.Error("there was no load")
	}
}
