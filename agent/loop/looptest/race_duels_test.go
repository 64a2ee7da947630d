package looptest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/service"
)

// duel is two things that happen to the same approval at the same moment.
type duel struct {
	name string
	tool string // "" is mark, which is of high risk
	args string // what it is called with; %d is the number of the round
	// set changes the service of the world.
	set func(d agenttest.Commands)
	// before brings the approval to where the duel begins.
	before func(d *duelists, a agent.Approval)
	// left and right are the duelists; one that returns nil has won.
	left, right func(d *duelists, a agent.Approval) error
	// once is what happens to all approvals of a group at the same time, in the place of right.
	once func(d *duelists)
	// wins is how many of the two may win; 1 is exactly one.
	wins []int
	// then brings the approval to its end.
	then func(d *duelists, a agent.Approval)
}

// duelists are the two who meet, in a world that is at work.
type duelists struct{ *world }

func (d *duelists) decision(v agent.Viewer, dec agent.Decision) func(*duelists, agent.Approval) error {
	return func(_ *duelists, a agent.Approval) error {
		dec.ArgsHash, dec.Generation = a.ArgsHash, a.Generation
		_, err := d.service.Decide(d.t.Context(), v, a.ID, dec)
		return err
	}
}

func decides(v agent.Viewer, verb agent.Verb) func(*duelists, agent.Approval) error {
	return func(d *duelists, a agent.Approval) error { return d.decision(v, agent.Decision{Verb: verb})(d, a) }
}

// edits changes the text of the arguments into a person's name.
func edits(v agent.Viewer) func(*duelists, agent.Approval) error {
	return func(d *duelists, a agent.Approval) error {
		args := strings.Replace(string(a.Args), "as asked", "as "+v.UserID+" wants", 1)
		return d.decision(v, agent.Decision{Verb: agent.DecideEdit, Args: json.RawMessage(args)})(d, a)
	}
}

func undoes(v agent.Viewer) func(*duelists, agent.Approval) error {
	return func(d *duelists, a agent.Approval) error {
		_, err := d.service.Undo(d.t.Context(), v, a.ID)
		return err
	}
}

func asksAgain(v agent.Viewer) func(*duelists, agent.Approval) error {
	return func(d *duelists, a agent.Approval) error {
		_, err := d.service.Reopen(d.t.Context(), v, a.ID)
		return err
	}
}

func aborts(d *duelists, a agent.Approval) error { return d.service.Abort(d.t.Context(), ana, a.RunID) }

func supersedes(d *duelists, a agent.Approval) error {
	_, err := d.service.Post(d.t.Context(), ana, service.Post{ConversationID: a.ConversationID, Content: message(), Supersede: true})
	if agent.CodeOf(err) == agent.Conflict {
		return nil // the run was at work again: that is not a conflict about the approval
	}
	return err
}

// first does what has to work before the duel.
func first(do func(*duelists, agent.Approval) error) func(*duelists, agent.Approval) {
	return func(d *duelists, a agent.Approval) {
		d.t.Helper()
		d.must(do(d, a))
	}
}

// finally approves what still waits.
func finally(d *duelists, a agent.Approval) {
	for range 3 {
		if now := d.now(a.ID); now.Status == agent.ApprovalPending {
			v := rey
			if slices.ContainsFunc(now.Votes, func(v agent.Vote) bool { return v.By == rey.Email }) || now.Author == rey.Email {
				v = ada
			}
			d.must(decides(v, agent.DecideApprove)(d, now))
			d.rests(a.RunID)
		}
	}
}

func (d *duelists) now(id string) agent.Approval {
	a, err := d.store.Approval(d.t.Context(), ada, id)
	d.must(err)
	return *a
}

func (d *duelists) ticks() {
	for range duelGroup/100 + 2 {
		if err := d.service.Tick(d.t.Context()); err != nil {
			d.t.Error(err)
		}
	}
}

const duelWindow = 5 * time.Second

func withWindow(d agenttest.Commands) { d.UndoWindow = duelWindow }

// late moves the clock to the end of all approvals.
func late(d *duelists, a agent.Approval) {
	if now := d.clock.Now(); now.Before(a.ExpiresAt) {
		d.clock.Advance(a.ExpiresAt.Sub(now))
	}
}

func expired(d *duelists, a agent.Approval) {
	late(d, a)
	d.ticks()
}

var duels = []duel{
	{name: "approve, approve", left: decides(rex, agent.DecideApprove), right: decides(rey, agent.DecideApprove), wins: []int{1}},
	{name: "approve, reject", left: decides(rex, agent.DecideApprove), right: decides(rey, agent.DecideReject), wins: []int{1}},
	{name: "reject, reject", left: decides(rex, agent.DecideReject), right: decides(rex, agent.DecideReject), wins: []int{1}},
	{name: "edit, approve", left: edits(rex), right: decides(rey, agent.DecideApprove), wins: []int{1}, then: finally},
	{name: "edit, edit", left: edits(rex), right: edits(rey), wins: []int{1}, then: finally},
	{name: "edit, edit of medium risk", tool: "save", left: edits(ana), right: edits(rey), wins: []int{1}},
	{name: "edit, reject", left: edits(rex), right: decides(rey, agent.DecideReject), wins: []int{1}, then: finally},
	{name: "approve, abort", left: decides(rex, agent.DecideApprove), right: aborts, wins: []int{1, 2}},
	{name: "edit, abort", left: edits(rex), right: aborts, wins: []int{1, 2}},
	{name: "approve, expiry", before: late, left: decides(rex, agent.DecideApprove), once: (*duelists).ticks, wins: []int{0, 1}},
	{
		name: "approve, expiry that rejects", set: func(d agenttest.Commands) { d.OnTimeout = service.TimeoutReject },
		before: late, left: decides(rex, agent.DecideApprove), once: (*duelists).ticks, wins: []int{0, 1},
	},
	{
		name: "undo, reject", set: withWindow, before: first(decides(rex, agent.DecideApprove)),
		left: undoes(rex), right: decides(rey, agent.DecideReject), wins: []int{1},
	},
	{
		name: "undo, undo", set: withWindow, before: first(decides(rex, agent.DecideApprove)),
		left: undoes(rex), right: undoes(rey), wins: []int{1},
	},
	{
		name: "undo, abort", set: withWindow, before: first(decides(rex, agent.DecideApprove)),
		left: undoes(rex), right: aborts, wins: []int{1, 2},
	},
	{
		name: "undo, taking effect", set: withWindow, before: first(decides(rex, agent.DecideApprove)), left: undoes(rey),
		once: func(d *duelists) { d.clock.Advance(duelWindow); d.runner.Wake() }, wins: []int{0, 1},
	},
	{
		name: "one person's two votes", tool: "run_shell", args: `{"command":"rm -rf as asked/%d"}`,
		left: decides(rex, agent.DecideApprove), right: decides(rex, agent.DecideApprove), wins: []int{1}, then: finally,
	},
	{
		name: "two people's votes", tool: "run_shell", args: `{"command":"rm -rf as asked/%d"}`,
		left: decides(rex, agent.DecideApprove), right: decides(rey, agent.DecideApprove), wins: []int{1, 2}, then: finally,
	},
	{name: "ask again twice", before: expired, left: asksAgain(ana), right: asksAgain(rex), wins: []int{1}, then: finally},
	{name: "ask again, approve", before: expired, left: asksAgain(ana), right: decides(rex, agent.DecideApprove), wins: []int{1}},
	{name: "ask again, supersede", before: expired, left: asksAgain(rex), right: supersedes, wins: []int{1, 2}},
	{name: "approve, supersede", left: decides(rex, agent.DecideApprove), right: supersedes, wins: []int{1, 2}},
}
