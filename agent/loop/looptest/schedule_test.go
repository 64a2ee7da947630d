package looptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
)

// passed is what time has done to approvals, as the audit log has it, oldest first.
func (w *world) passed() []string {
	w.t.Helper()
	var out []string
	for _, row := range verifyAudit(w.t, w.store) {
		if row.Actor != agent.System {
			continue
		}
		switch {
		case row.Action == "approval.decide" && strings.Contains(row.Detail, `"decision":"expired"`):
			out = append(out, "expired")
		case row.Action == "approval.decide":
			out = append(out, "decided")
		case row.Action == string(agent.NotifyReminder), row.Action == string(agent.NotifyEscalated):
			out = append(out, strings.TrimPrefix(row.Action, "approval."))
		}
	}
	slices.Reverse(out)
	return out
}

// TestTimePasses: an approval is recalled at 75 % of its time, handed on at 90 % and
// expires at its end: each once, whatever is restarted and how often one looks.
func TestTimePasses(t *testing.T) {
	t.Parallel()
	w, _ := dictatedWorld(t, nil)
	run, card := markOnce(w, `{"x":1}`)
	for _, step := range []struct {
		at   time.Duration
		want string
	}{
		{18*time.Hour - time.Millisecond, "[]"},
		{18 * time.Hour, "[reminder]"},
		{18*time.Hour + time.Minute, "[reminder]"},
		{21*time.Hour + 36*time.Minute - time.Millisecond, "[reminder]"},
		{21*time.Hour + 36*time.Minute, "[reminder escalated]"},
		{24*time.Hour - time.Millisecond, "[reminder escalated]"},
		{24 * time.Hour, "[reminder escalated expired]"},
		{48 * time.Hour, "[reminder escalated expired]"},
	} {
		w.clock.Advance(card.RequestedAt.Add(step.at).Sub(w.clock.Now()))
		for range 3 {
			w.must(w.service.Tick(t.Context()))
			w.restart()
		}
		if got := fmt.Sprint(w.passed()); got != step.want {
			t.Errorf("after %s: %s, want %s", step.at, got, step.want)
		}
	}
	now := w.cardsOf(run.ID)[0]
	if now.Status != agent.ApprovalExpired || now.EscalatedTo != "admins" || w.tools.executed("mark") != 0 {
		t.Errorf("at the end: %+v", now)
	}
	_, err := w.service.Decide(t.Context(), rex, card.ID, approves())
	w.wantCode(err, agent.Conflict)
	_, err = w.service.Reopen(t.Context(), ana, card.ID)
	w.must(err)
	w.clock.Advance(18 * time.Hour)
	w.must(w.service.Tick(t.Context()))
	if got := fmt.Sprint(w.passed()); got != "[reminder escalated expired reminder]" {
		t.Errorf("asked again: %s", got)
	}
}

// TestClockJumps: a clock that jumps ahead by a year lets an approval expire once and
// skips what was to come before; one that jumps back repeats nothing.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	for _, tc := range []struct {
		name  string
		jumps []time.Duration
		want  string
	}{
		{"ahead", []time.Duration{year}, "[expired]"},
		{"ahead and back", []time.Duration{year, -year, 18 * time.Hour, year}, "[expired]"},
		{"back before the question", []time.Duration{-year, time.Hour}, "[]"},
		{"back behind the reminder", []time.Duration{18 * time.Hour, -17 * time.Hour, 17 * time.Hour, 4 * time.Hour}, "[reminder escalated]"},
		{"over the reminder", []time.Duration{23 * time.Hour, time.Minute, time.Minute}, "[reminder escalated]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, _ := dictatedWorld(t, nil)
			run, card := markOnce(w, `{"x":1}`)
			for _, d := range tc.jumps {
				w.clock.Advance(d)
				w.must(w.service.Tick(t.Context()))
				w.must(w.service.Tick(t.Context()))
			}
			if got := fmt.Sprint(w.passed()); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if w.advance(run.ID); w.tools.executed("mark") != 0 {
				t.Error("time has approved a call")
			}
			if now := w.cardsOf(run.ID)[0]; now.Status == agent.ApprovalExpired {
				_, err := w.service.Reopen(t.Context(), rex, card.ID)
				w.must(err)
			}
			w.decide(rex, card.ID, approves())
			if now := w.advance(run.ID); now.Status != agent.StatusFinished || w.tools.executed("mark") != 1 {
				t.Errorf("run %s, executed %d times", now.Status, w.tools.executed("mark"))
			}
		})
	}
}
