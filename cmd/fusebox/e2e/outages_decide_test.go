package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"fusebox/agent/agenttest"
)

// course is what people do about the calls of a job that have effects.
type course int

// The courses. Where it is unknown whether a call happened, the person looks, and denies
// it or has it run again where it did not.
const (
	letsRun course = iota
	denies         // and all else goes on
	undoes         // approved, taken back and approved again
	aborts         // instead of a decision
	runsAgain
	stops // at any moment, whatever happens then
)

// allCourses has one for each message of a talk.
var allCourses = []course{letsRun, denies, undoes, aborts, runsAgain, stops}

// courseOf is that of a job by its name, which ends with its number in the talk.
func (w work) courseOf(job string) course { return w.courses[int(job[len(job)-1]-'0')%len(w.courses)] }

// jobIn finds the job that a card or a call is about.
var jobIn = regexp.MustCompile(`job-[0-9a-f]+-\d+-\d+-\d+`)

// decide decides about a call as its job says.
func (t *talk) decide(e glance, arguments string) {
	job := jobIn.FindString(arguments)
	effect := effectOf.FindString(arguments)
	acts := effect != ""
	switch c := t.o.work.courseOf(job); {
	case e.Kind == "outcome":
		if left := running(job); len(left) > 0 {
			t.o.t.Errorf("%s: a person is asked about %s while processes %v run", t.id, job, left)
		}
		if body := t.outcome(effect, c); body != "" {
			t.post("rex", e.ApprovalID, body)
		} else {
			t.approve(e.ApprovalID)
		}
	case c == denies && acts:
		t.post("rex", e.ApprovalID, `{"decision":"reject"}`)
	case c == aborts && acts:
		t.post("rex", e.ApprovalID, `{"decision":"abort"}`)
	case c == undoes && acts:
		t.approve(e.ApprovalID)
		t.undo(e.ApprovalID)
	default:
		t.approve(e.ApprovalID)
	}
}

// approve approves a call: two people do where it is critical, as what leaves a process.
func (t *talk) approve(approval string) {
	for _, who := range []string{"rex", "ria"} {
		t.post(who, approval, `{"decision":"approve"}`)
	}
}

// outcome is what a person says who has looked whether a call happened, "" to have it run
// again.
func (t *talk) outcome(effect string, c course) string {
	switch {
	case slices.Contains(t.effects(), effect):
		return `{"decision":"answer","answer":"it happened"}`
	case c == runsAgain:
		return ""
	default:
		return `{"decision":"reject"}`
	}
}

// post decides on a card as it is, if it still waits.
func (t *talk) post(who, approval, body string) {
	card, ok := t.card(approval)
	if !ok || card["status"] != "pending" {
		return
	}
	status, answer, ok := t.o.insist(who, http.MethodPost, "/api/v1/approvals/"+approval+"/decision", []byte(naming(card, body)))
	switch {
	case !ok, status == http.StatusConflict, // decided by a request whose answer was lost, or the run has ended
		status == http.StatusForbidden && strings.Contains(string(answer), "already approved"): // likewise, one of two
	case status == http.StatusOK:
		t.mu.Lock()
		t.decisions = append(t.decisions, approval)
		t.mu.Unlock()
	default:
		t.o.t.Errorf("%s: the decision was answered with %d %s", approval, status, answer)
	}
}

// undo takes a decision back, unless it is too late for that, and approves again.
func (t *talk) undo(approval string) {
	status, answer, ok := t.o.insist("rex", http.MethodPost, "/api/v1/approvals/"+approval+"/undo", []byte(`{}`))
	if !ok {
		return
	}
	switch status {
	case http.StatusConflict: // it is in effect, or was undone by a request whose answer was lost
	case http.StatusOK:
		t.mu.Lock()
		t.undone++
		t.mu.Unlock()
	default:
		t.o.t.Errorf("%s: undoing was answered with %d %s", approval, status, answer)
	}
	t.approve(approval)
}

func (t *talk) card(approval string) (card map[string]any, ok bool) {
	status, answer, ok := t.o.insist("rex", http.MethodGet, "/api/v1/approvals/"+approval, nil)
	if !ok {
		return nil, false
	}
	if err := json.Unmarshal(answer, &card); err != nil || status != http.StatusOK {
		t.o.t.Errorf("%s: the card is %d %s", approval, status, answer)
		return nil, false
	}
	return card, true
}

// stopWithin bounds how long a run is let alone that is stopped.
const stopWithin = 700

// stop aborts a run after a time that its message decides.
func (t *talk) stop(m acknowledged) {
	after := digest([]byte(m.content))
	select {
	case <-time.After(time.Duration(int(after[0])*256+int(after[1])) % stopWithin * time.Millisecond):
	case <-t.o.ctx.Done():
		return
	}
	if status, answer, ok := t.o.insist(t.name, http.MethodPost, "/api/v1/runs/"+m.RunID+"/abort", nil); ok && status >= http.StatusBadRequest {
		t.o.t.Errorf("%s: aborting was answered with %d %s", m.RunID, status, answer)
	}
}

// nothingRuns wants that all that a run has started ends with it.
func (t *talk) nothingRuns(run string) {
	t.mu.Lock()
	i := slices.IndexFunc(t.messages, func(m acknowledged) bool { return m.RunID == run })
	job := ""
	if i >= 0 { // else its acknowledgement is on its way
		job = t.messages[i].content
	}
	t.mu.Unlock()
	if job != "" {
		t.o.gone(job)
	}
}

// gone wants that nothing of a job runs any more.
func (o *outages) gone(job string) {
	for end := time.Now().Add(agenttest.Hang); ; {
		left := running(job)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			o.t.Errorf("%s has ended and left processes %v", job, left)
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-o.t.Context().Done():
			return
		}
	}
}

// running lists the processes that have a job in their command lines: its command, what
// that has started, and their supervisor. Where there is no /proc there are none.
func running(job string) (left []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well formed
	for _, name := range all {
		line, err := os.ReadFile(name)
		if err == nil && strings.Contains(string(line), job) { // else it is gone
			left = append(left, filepath.Base(filepath.Dir(name)))
		}
	}
	return left
}

// effectOf finds what a call leaves behind: its job, and which call of it.
var effectOf = regexp.MustCompile(`job-[0-9a-f]+-\d+-\d+-\d+~[a-z]\d*`)

// effects are what calls have left behind: commands and edits in the workspace, and
// programs with tools in their own folders.
func (t *talk) effects() (found []string) {
	for _, pattern := range []string{"workspaces/" + t.id + "/effects", "workspaces/" + t.id + "/job-*.txt", "programs/*/notes"} {
		files, err := filepath.Glob(filepath.Join(t.o.data, pattern))
		if err != nil {
			t.o.t.Error(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.o.t.Error(err)
			}
			for _, effect := range effectOf.FindAllString(string(text), -1) {
				if strings.HasPrefix(effect, t.jobs) {
					found = append(found, effect)
				}
			}
		}
	}
	return found
}
