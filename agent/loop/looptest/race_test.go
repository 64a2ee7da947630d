package looptest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// duelGroup is how many duels of a kind are fought side by side.
const duelGroup = 25

// TestRaces: whatever happens to an approval at the same moment, one thing stands, who
// came too late is told what, and the tool runs at most once, with what was approved.
func TestRaces(t *testing.T) {
	t.Parallel()
	n := agenttest.Rounds(t, "FUSEBOX_RACE_ROUNDS", 12)
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
			u.set(w.service)
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

// begin brings a conversation to its approval.
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

// judge checks what stands after a duel against what the two were told.
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
			if stands, ok := e.Current.(*agent.Approval); !ok || stands.ID != a.ID {
				d.t.Errorf("%s: the conflict %v does not say what stands: %+v", a.ID, err, e.Current)
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
		d.t.Errorf("%s: the run waits, and its card is %s (applied %v); all cards: %+v", a.ID, a.Status, a.Applied, d.cardsOf(run.ID))
	}
}
