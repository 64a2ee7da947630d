package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// tally is what a check has counted.
type tally struct {
	runs, seen, checked, messages, decisions, calls, uncertain, effects int
	denied, undone, aborted                                             int
	uploads, edits, restored, values                                    int
	doubled, lost, holes, torn                                          int
}

// check looks at everything that there is after the last start.
func (o *outages) check() {
	o.t.Helper()
	var sum tally
	for _, t := range o.talks {
		t.check(&sum)
		t.checkUploads(o.data, t.uploads, &sum)
	}
	status, waiting, _ := o.insist("rex", http.MethodGet, "/api/v1/approvals?status=pending", nil)
	if status != http.StatusOK || !strings.Contains(string(waiting), `"items":[]`) {
		o.t.Errorf("approvals wait at the end: %d %s", status, waiting)
	}
	o.gone(fmt.Sprintf("job-%x-", o.seed))
	ledger := administer(o.t, o.data, "ledger", "verify")
	if !strings.Contains(ledger, " 0 reservations open") {
		o.t.Errorf("reservations are left: %s", ledger)
	}
	audit := administer(o.t, o.data, "audit", "verify")
	for _, b := range o.backups {
		o.checkBackup(b, &sum)
		sum.lost, sum.torn = sum.lost+b.tally.lost, sum.torn+b.tally.torn
	}
	o.t.Logf("%d kills, %d conversations, %d runs, %d events seen, %d checked, %d messages and %d decisions acknowledged, %d of them undone, %d calls (%d with an unknown outcome, %d denied), %d runs aborted, %d effects, %d uploads and %d edits acknowledged, %d values, %d backups restored with %d of the messages, %d doubled, %d lost, %d torn, %d holes",
		o.kills, len(o.talks), sum.runs, sum.seen, sum.checked, sum.messages, sum.decisions, sum.undone, sum.calls, sum.uncertain, sum.denied, sum.aborted, sum.effects, sum.uploads, sum.edits, sum.values, len(o.backups), sum.restored, sum.doubled, sum.lost, sum.torn, sum.holes)
	o.t.Logf("ledger %saudit %s", ledger, audit)
	if sum.doubled+sum.lost+sum.torn+sum.holes > 0 {
		o.t.Errorf("%d doubled, %d lost, %d torn, %d holes", sum.doubled, sum.lost, sum.torn, sum.holes)
	}
}

// history is the log of a conversation, sorted.
type history struct {
	*talk
	sum      *tally
	messages map[string]int // by id
	contents map[string]int // of people's messages
	calls    map[string]struct{ Name, Arguments string }
	results  map[string][]glance // by run and call
	answers  map[string]int      // tool messages by run and call
	finished map[string]int      // by run
	decided  map[string]int      // by approval
	asked    map[string]int      // generations by approval
	statuses map[string]string   // of runs
}

// check compares what clients have seen of a talk, and were promised, with what is stored.
func (t *talk) check(sum *tally) {
	status, raw, ok := t.o.insist(t.name, http.MethodGet, "/api/v1/conversations/"+t.id+"/events?follow=false", nil)
	if !ok || status != http.StatusOK {
		t.o.t.Errorf("%s: the log is gone: %d %s", t.id, status, raw)
		return
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	lines = lines[:len(lines)-1]
	t.checkSeen(lines, sum)
	h := &history{
		talk: t, sum: sum, messages: map[string]int{}, contents: map[string]int{}, results: map[string][]glance{}, answers: map[string]int{},
		calls: map[string]struct{ Name, Arguments string }{}, finished: map[string]int{}, decided: map[string]int{}, asked: map[string]int{}, statuses: map[string]string{},
	}
	for i, line := range lines {
		h.add(i, line)
	}
	h.checkPromises()
	h.checkCalls()
	h.checkValues()
}

// checkSeen wants every event that a client has seen.
func (t *talk) checkSeen(lines [][]byte, sum *tally) {
	for _, r := range t.readers {
		sum.seen += len(r.seen)
		for i, want := range r.seen {
			if i >= len(lines) {
				sum.lost++
				t.o.t.Errorf("%s: event %d was seen; the log ends at %d", t.id, i+1, len(lines))
				continue
			}
			sum.checked++
			if digest(lines[i]) != want {
				sum.lost++
				t.o.t.Errorf("%s: event %d was seen as something else; now it is %s", t.id, i+1, lines[i])
			}
		}
	}
}

// add sorts an event in.
func (h *history) add(i int, line []byte) {
	var e glance
	if err := json.Unmarshal(line, &e); err != nil {
		h.o.t.Errorf("%s: event %q: %v", h.id, line, err)
		return
	}
	if e.Seq != i+1 {
		h.sum.holes++
		h.o.t.Errorf("%s: event %d has seq %d", h.id, i+1, e.Seq)
	}
	switch e.Type {
	case "message":
		h.addMessage(e)
	case "tool-call-result":
		h.results[e.RunID+" "+e.ToolCallID] = append(h.results[e.RunID+" "+e.ToolCallID], e)
	case "finish":
		h.finished[e.RunID]++
		h.statuses[e.RunID] = e.Status
		if e.Status == "aborted" {
			h.sum.aborted++
		}
	case "approval-decided":
		h.decided[e.ApprovalID]++
	case "approval-requested":
		h.asked[e.ApprovalID] = max(h.asked[e.ApprovalID], e.Generation) // a vote shows it once more
		if e.Kind == "outcome" {
			h.sum.uncertain++
		}
	}
}

func (h *history) addMessage(e glance) {
	m := messageOf(e)
	h.messages[m.ID]++
	switch m.Role {
	case "user":
		h.contents[m.Content]++
	case "tool":
		h.answers[e.RunID+" "+m.ToolCallID]++
	}
	for _, c := range m.ToolCalls {
		h.calls[e.RunID+" "+c.ID] = struct{ Name, Arguments string }{c.Name, c.Arguments}
	}
}

// checkPromises wants what was acknowledged, once.
func (h *history) checkPromises() {
	h.sum.messages += len(h.talk.messages)
	h.sum.decisions += len(h.decisions)
	h.sum.undone += h.undone
	h.sum.edits += h.edits
	h.sum.runs += len(h.finished)
	for _, m := range h.talk.messages {
		h.once(h.messages[m.MessageID], "message "+m.MessageID)
		h.once(h.contents[m.content], "the message "+m.content)
		h.once(h.finished[m.RunID], "the end of run "+m.RunID)
		if status := h.statuses[m.RunID]; !endsAs(h.o.work.courseOf(m.content), status) {
			h.o.t.Errorf("%s: the run of %s is %s", h.id, m.content, status)
		}
	}
	for id, n := range h.messages {
		h.once(n, "message "+id)
	}
	for _, id := range h.decisions {
		if h.decided[id] == 0 {
			h.once(0, "the decision on "+id)
		}
	}
	for id, n := range h.asked { // what is undone is asked again
		if h.decided[id] != n {
			h.sum.doubled++
			h.o.t.Errorf("%s: %s was asked %d times and decided %d times", h.id, id, n, h.decided[id])
		}
	}
}

// endsAs reports whether a run may end with a status.
func endsAs(c course, status string) bool {
	switch c {
	case stops:
		return status == "aborted" || status == "finished"
	case aborts:
		return status == "aborted"
	default:
		return status == "finished"
	}
}

func (h *history) once(n int, what string) {
	switch {
	case n == 0:
		h.sum.lost++
	case n > 1:
		h.sum.doubled++
	default:
		return
	}
	h.o.t.Errorf("%s: %s is there %d times", h.id, what, n)
}
