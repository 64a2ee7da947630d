package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
)

// duel is two things that happen to the same card at the same moment.
type duel struct {
	name string
	tool string // "" is mark, which is of high risk
	args string // what it is called with; %d is the number of the round
	// set changes the desk of the world.
	set func(d *agent.Desk)
	// before brings the card to where the duel begins.
	before func(d *duelists, a agent.Approval)
	// left and right are the duelists; one that returns nil has won.
	left, right func(d *duelists, a agent.Approval) error
	// once is what happens to all cards of a group at the same time, in the place of right.
	once func(d *duelists)
	// wins is how many of the two may win; 1 is exactly one.
	wins []int
	// then brings the card to its end.
	then func(d *duelists, a agent.Approval)
}

// duelists are the two who meet, in a world that is at work.
type duelists struct{ *world }

func (d *duelists) decision(v agent.Viewer, dec agent.Decision) func(*duelists, agent.Approval) error {
	return func(_ *duelists, a agent.Approval) error {
		dec.ArgsHash, dec.Generation = a.ArgsHash, a.Generation
		_, err := d.desk.Decide(d.t.Context(), v, a.ID, dec)
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
		_, err := d.desk.Undo(d.t.Context(), v, a.ID)
		return err
	}
}

func asksAgain(v agent.Viewer) func(*duelists, agent.Approval) error {
	return func(d *duelists, a agent.Approval) error {
		_, err := d.desk.AskAgain(d.t.Context(), v, a.ID)
		return err
	}
}

func aborts(d *duelists, a agent.Approval) error { return d.desk.Abort(d.t.Context(), ana, a.RunID) }

func supersedes(d *duelists, a agent.Approval) error {
	_, err := d.desk.Post(d.t.Context(), ana, agent.Post{ConversationID: a.ConversationID, Content: message(), Supersede: true})
	if agent.CodeOf(err) == agent.Conflict {
		return nil // the run was at work again: that is no conflict about the card
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
		if err := d.desk.Tick(d.t.Context()); err != nil {
			d.t.Error(err)
		}
	}
}

const duelWindow = 5 * time.Second

func withWindow(d *agent.Desk) { d.UndoWindow = duelWindow }

// late moves the clock to the end of all cards.
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
		name: "approve, expiry that rejects", set: func(d *agent.Desk) { d.OnTimeout = agent.TimeoutReject },
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

// duelGroup is how many duels of a kind are fought side by side.
const duelGroup = 25

// TestRaces: whatever happens to a card at the same moment, one thing stands, who
// came too late is told what, and the tool runs at most once, with what was approved.
func TestRaces(t *testing.T) {
	t.Parallel()
	n := rounds(t, "FUSEBOX_RACE_ROUNDS", 25)
	for _, duel := range duels {
		t.Run(duel.name, func(t *testing.T) {
			t.Parallel()
			for from := 0; from < n; from += duelGroup {
				if duel.fight(t, from, min(duelGroup, n-from)); t.Failed() {
					return
				}
			}
		})
	}
}

// fight is one group of duels in a world of its own.
func (u duel) fight(t *testing.T, from, n int) {
	w, _ := dictatedWorld(t, func(w *world) {
		w.runner.Parallel = duelGroup
		if u.set != nil {
			u.set(w.desk)
		}
	})
	w.staff(rey, ada)
	d := &duelists{w}
	d.works()
	cards := make([]agent.Approval, n)
	for i := range cards {
		cards[i] = u.begin(d, from+i)
	}
	if u.before != nil {
		for i, a := range cards {
			u.before(d, a)
			d.rests(a.RunID)
			cards[i] = a
		}
	}
	start := make(chan struct{})
	results := make([][2]error, n)
	var wg sync.WaitGroup
	if u.once != nil {
		wg.Go(func() { <-start; u.once(d) })
	}
	for i, a := range cards {
		wg.Go(func() { <-start; results[i][0] = u.left(d, a) })
		if u.right != nil {
			wg.Go(func() { <-start; results[i][1] = u.right(d, a) })
		} else {
			results[i][1] = errNobody
		}
	}
	close(start)
	wg.Wait()
	for i, a := range cards {
		u.judge(d, a, results[i])
	}
}

var errNobody = errors.New("there is no second one")

// begin brings a conversation to its card.
func (u duel) begin(d *duelists, n int) agent.Approval {
	d.t.Helper()
	tool, args := u.tool, u.args
	if tool == "" {
		tool = "mark"
	}
	if args == "" {
		args = `{"how":"as asked","n":%d}`
	}
	runID := d.talk(fmt.Sprint("talk", n), message([]agent.CallRequest{{ID: "a", Name: tool, Arguments: fmt.Sprintf(args, n)}}))
	d.rests(runID)
	cards := d.cardsOf(runID)
	if len(cards) != 1 || cards[0].Status != agent.ApprovalPending {
		d.t.Fatalf("the run asks %+v", cards)
	}
	return cards[0]
}

// judge holds what stands after a duel against what the two were told.
func (u duel) judge(d *duelists, a agent.Approval, results [2]error) {
	d.t.Helper()
	won := 0
	for _, err := range results {
		var e *agent.Error
		switch {
		case err == nil:
			won++
		case errors.Is(err, errNobody), agent.CodeOf(err) == agent.Forbidden:
		case !errors.As(err, &e) || e.Code != agent.Conflict:
			d.t.Errorf("%s: who came too late was told %v", a.ID, err)
		default:
			if stands, ok := e.Standing.(*agent.Approval); !ok || stands.ID != a.ID {
				d.t.Errorf("%s: the conflict %v does not say what stands: %+v", a.ID, err, e.Standing)
			}
		}
	}
	if !slices.Contains(u.wins, won) {
		d.t.Errorf("%s: %d have won: %v", a.ID, won, results)
	}
	d.rests(a.RunID)
	if u.then != nil {
		u.then(d, a)
	}
	d.soundCard(d.rests(a.RunID), d.now(a.ID))
}

// soundCard wants the call to have run only as it was approved, and then once.
func (d *duelists) soundCard(run agent.Run, a agent.Approval) {
	d.t.Helper()
	approved := a.Args
	if a.Decision == agent.DecideEdit {
		approved = a.EditedArgs
	}
	own := string(a.Args)[strings.LastIndexAny(string(a.Args), ",/"):] // the number of the round, which nobody edits
	d.tools.mu.Lock()
	ran := slices.DeleteFunc(slices.Clone(d.tools.runs), func(text string) bool { return !strings.HasSuffix(text, own) })
	d.tools.mu.Unlock()
	releases := a.Status == agent.ApprovalDecided && (a.Decision == agent.DecideApprove || a.Decision == agent.DecideEdit)
	want := 0
	if releases && run.Status == agent.StatusFinished {
		want = 1
	}
	if len(ran) > 1 || len(ran) != want && run.Status != agent.StatusAborted || len(ran) > 0 && !releases {
		d.t.Errorf("%s: run %s, card %s %s, executed %d times: %v", a.ID, run.Status, a.Status, a.Decision, len(ran), ran)
	}
	if len(ran) > 0 && ran[0] != a.ToolName+" "+string(approved) {
		d.t.Errorf("%s: approved is %s, executed was %s", a.ID, approved, ran[0])
	}
	if run.Status.Ended() && a.Status.Open() {
		d.t.Errorf("%s: the run is %s, and its card %s", a.ID, run.Status, a.Status)
	}
	if run.Status == agent.StatusPaused && !a.Status.Open() {
		d.t.Errorf("%s: the run waits, and its card is %s (applied %v)", a.ID, a.Status, a.Applied)
	}
}
