package looptest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// TestCrash kills the process at each point around an approved call, lets others
// take over, and wants each approved call to have happened exactly once. Some of
// those who take over are killed as well.
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, point := range crashPoints {
		for round := range agenttest.Rounds(t, "FUSEBOX_CRASH_ROUNDS", 2) {
			t.Run(fmt.Sprintf("%s/%d", point, round), func(t *testing.T) {
				t.Parallel()
				h := &crashInstance{t: t, dir: t.TempDir()}
				storetest.Migrated(t, filepath.Join(h.dir, "f.db"))
				h.live(point, rand.IntN(crashPasses), true)
				h.soundSoFar()
				if round%2 == 1 {
					h.live(crashPoints[rand.IntN(len(crashPoints))], rand.IntN(crashPasses), false)
					h.soundSoFar()
				}
				h.live("", 0, false)
				h.soundAtTheEnd()
			})
		}
	}
}

// crashInstance is a folder in which one process lives after the other.
type crashInstance struct {
	t   *testing.T
	dir string
}

// live is the life of one process, which is killed when it passes a point for
// the chosen time, "" for a life to the end. must says that it cannot get around it.
func (h *crashInstance) live(point crashPoint, after int, must bool) {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	ctx := agenttest.Context(h.t)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = []string{"FUSEBOX_CRASH_DIR=" + h.dir, "FUSEBOX_CRASH_POINT=" + string(point), "FUSEBOX_CRASH_AFTER=" + strconv.Itoa(after)}
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	said, _ := io.ReadAll(io.LimitReader(out, int64(len("waiting\n")))) // it says no more than that
	if string(said) == "waiting\n" {
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	switch {
	case ctx.Err() != nil:
		h.t.Fatalf("%q after %d: the process hangs\n%s", point, after, &log)
	case err != nil && !killed, killed && point == "", must && !killed:
		h.t.Fatalf("%q after %d: the process ended with %v\n%s", point, after, err, &log)
	}
}

func (h *crashInstance) open() *store.Store {
	h.t.Helper()
	s, err := store.Open(h.t.Context(), store.Options{Path: filepath.Join(h.dir, "f.db"), Clock: agent.SystemClock{}, NewID: func() string { return "" }})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// soundSoFar looks at what a killed process has left: nothing happened twice or
// without having been approved, what waits has its approval, the log has no holes.
func (h *crashInstance) soundSoFar() {
	h.t.Helper()
	s := h.open()
	defer func() { _ = s.Close() }()
	cards := h.cards(s)
	for i, key := range slices.Sorted(slices.Values(marks(h.dir))) {
		all := slices.Sorted(slices.Values(marks(h.dir)))
		if i > 0 && all[i-1] == key {
			h.t.Errorf("%s happened twice", key)
		}
		if !slices.ContainsFunc(cards, func(a agent.Approval) bool {
			return a.RunID+"/"+a.ToolCallID == key && a.Decision == agent.DecideApprove && a.Applied
		}) {
			h.t.Errorf("%s happened without an approval", key)
		}
	}
	for i := range crashTalks {
		h.soundLog(s, crashTalk(i))
		run, err := s.ActiveRun(h.t.Context(), crashTalk(i))
		if agent.CodeOf(err) == agent.NotFound {
			continue
		}
		if err != nil {
			h.t.Fatal(err)
		}
		waits := slices.ContainsFunc(cards, func(a agent.Approval) bool { return a.RunID == run.ID && a.Status == agent.ApprovalPending })
		if run.Status == agent.StatusPaused && !waits {
			h.t.Errorf("%s is paused, and nobody is asked", run.ID)
		}
	}
}

// soundAtTheEnd wants every call exactly once, in the file, in the history and in the audit log.
func (h *crashInstance) soundAtTheEnd() {
	h.t.Helper()
	s := h.open()
	defer func() { _ = s.Close() }()
	var want []string
	for i := range crashTalks {
		h.soundLog(s, crashTalk(i))
		runID := h.soundTalk(s, crashTalk(i))
		for _, id := range []string{"a", "c", "d", "f"} {
			want = append(want, runID+"/"+id)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(marks(h.dir))); !slices.Equal(got, want) {
		h.t.Errorf("happened:\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	h.soundAudit(s, want)
}

// soundTalk wants a finished run whose calls have one result each, in their order.
func (h *crashInstance) soundTalk(s *store.Store, conversation string) (runID string) {
	h.t.Helper()
	messages, err := s.Messages(h.t.Context(), ana, conversation)
	if err != nil {
		h.t.Fatal(err)
	}
	runID = messages[0].RunID
	run, err := s.Run(h.t.Context(), ana, runID)
	if err != nil || run.Status != agent.StatusFinished {
		h.t.Errorf("%s: the run is %+v (%v)", conversation, run, err)
	}
	var got []string
	for _, m := range messages {
		text := string(m.Role)
		for _, c := range m.ToolCalls {
			text += " " + c.ID
		}
		got = append(got, strings.TrimSpace(text+" "+m.ToolCallID))
	}
	want := "user, assistant a b c, tool a, tool b, tool c, assistant d, tool d, assistant e f, tool e, tool f, assistant"
	if strings.Join(got, ", ") != want {
		h.t.Errorf("%s: the history is %s", conversation, strings.Join(got, ", "))
	}
	for _, m := range messages {
		fine := strings.Contains(m.Content, `{"call":"`+m.ToolCallID+`"}`) || m.Content == "it happened"
		if m.Role == agent.FromTool && !fine {
			h.t.Errorf("%s: call %s has the result %q", conversation, m.ToolCallID, m.Content)
		}
	}
	return runID
}

// soundLog wants events without holes, and each message once.
func (h *crashInstance) soundLog(s *store.Store, conversation string) {
	h.t.Helper()
	events, err := s.Events(h.t.Context(), conversation, 0, 5000)
	if err != nil {
		h.t.Fatal(err)
	}
	told := map[string]int{}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			h.t.Fatalf("%s: event %d has the number %d", conversation, i+1, e.Seq)
		}
		if m, ok := e.Data.(agent.MessageEvent); ok {
			told[m.Message.ID]++
		}
	}
	for id, n := range told {
		if n != 1 {
			h.t.Errorf("%s: message %s was told %d times", conversation, id, n)
		}
	}
}

func (h *crashInstance) cards(s *store.Store) []agent.Approval {
	h.t.Helper()
	var all []agent.Approval
	for page := (agent.Page{Limit: 100}); ; {
		cards, next, err := s.Approvals(h.t.Context(), rex, agent.ApprovalFilter{}, page)
		if err != nil {
			h.t.Fatal(err)
		}
		if all = append(all, cards...); next == "" {
			return all
		}
		page.Cursor = next
	}
}

// soundAudit wants a line for each approval, each decision and each execution.
func (h *crashInstance) soundAudit(s *store.Store, executed []string) {
	h.t.Helper()
	lines := map[string]int{}
	for _, row := range verifyAudit(h.t, s) {
		lines[row.Action+" "+row.Target]++
	}
	for _, key := range executed {
		if lines["call.execute "+key] == 0 {
			h.t.Errorf("%s was executed and is not in the audit log", key)
		}
	}
	for _, a := range h.cards(s) {
		if a.Status != agent.ApprovalDecided || !a.Applied {
			h.t.Errorf("card %s (%s) is %s at the end, applied %v", a.ID, a.Kind, a.Status, a.Applied)
		}
		if n := lines["approval.request "+a.ID]; n != 1 {
			h.t.Errorf("card %s has %d lines for its request", a.ID, n)
		}
		if n := lines["approval.decide "+a.ID]; n != 1 {
			h.t.Errorf("card %s has %d lines for its decision", a.ID, n)
		}
	}
}

// verifyAudit checks the audit log against its own promises and returns it,
// newest line first.
func verifyAudit(t *testing.T, s *store.Store) []agent.AuditRow {
	t.Helper()
	if _, err := s.CheckAudit(t.Context(), 1<<40); err != nil {
		t.Errorf("the chain of the audit log is broken: %v", err)
	}
	var all []agent.AuditRow
	for page := (agent.Page{Limit: 100}); ; {
		rows, next, err := s.AuditRows(t.Context(), agent.AuditFilter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, rows...); next == "" {
			break
		}
		page.Cursor = next
	}
	seen := map[string]bool{}
	for _, row := range all {
		if row.ID == "" || seen[row.ID] {
			t.Errorf("the audit log has the id %q twice, or it is empty", row.ID)
		}
		seen[row.ID] = true
		if row.Actor == "" || row.Action == "" || row.Target == "" || row.At.IsZero() {
			t.Errorf("a line of the audit log lacks something: %+v", row)
		}
	}
	return all
}
