package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// walk is a conversation in which people do anything in any order.
type walk struct {
	*talk
	oracle   *oracle
	rand     *rand.Rand
	run      string // the one that is active, "" for none
	chosen   string // a message of the branch that is to be shown
	gone     map[string]bool
	runs     map[string]bool
	approved int
	// steered are the ids of what people said to runs and did not take back, heard the messages that it became.
	steered, heard map[string]bool
}

// TestVersionsInAnyOrder: whatever people do in which order, each version that was not deleted can be
// reached, each request is the branch that is seen, nothing is done again unasked, and the bill is right.
func TestVersionsInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range agenttest.FewOrMany(t, "FUSEBOX_VERSION_WALKS", 2, 300) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			k := newTalk(t)
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			w := &walk{talk: k, rand: r, gone: map[string]bool{}, runs: map[string]bool{}, steered: map[string]bool{}, heard: map[string]bool{}, oracle: &oracle{Provider: k.model, t: t, rand: r, known: map[string]agent.Message{}}}
			w.send()
			for range 60 {
				if w.step(); t.Failed() {
					break
				}
			}
			w.end()
			w.allIsReached()
			w.booksAgree()
		})
	}
}

// step does one thing by chance.
func (w *walk) step() {
	live := slices.Sorted(maps.Keys(w.oracle.known))
	if len(live) == 0 {
		w.send()
		return
	}
	m := w.oracle.known[live[w.rand.IntN(len(live))]]
	at := "/api/v1/messages/" + m.ID
	switch w.rand.IntN(10) {
	case 0:
		w.send()
	case 1, 2: // an edit
		if m.Asks() {
			w.begin("/api/v1/conversations/"+w.id+"/messages", fields{"content": "edit " + w.s.newID(), "parentId": m.ParentID})
		}
	case 3:
		w.begin(at+"/regenerate", fields{"replace": !m.Asks() && w.rand.IntN(3) == 0})
	case 4:
		w.begin(at+"/continue", nil)
	case 5:
		if w.rand.IntN(3) == 0 {
			w.call("DELETE", at, "")
		}
	case 6:
		w.choose(m.ID)
		w.chosen = m.ID
	case 7:
		w.settle()
	case 8:
		w.s = w.s.restarted()
		w.client.s, w.rex.s = w.s, w.s
	case 9:
		w.steer()
	}
	w.look()
}

// send says something behind the branch that is chosen.
func (w *walk) send() {
	w.begin("/api/v1/conversations/"+w.id+"/messages", fields{"content": "say " + w.s.newID()})
}

// begin begins a run where none is active, and lets it go on, at once or after something else.
func (w *walk) begin(path string, in fields) {
	var body []byte
	if in != nil {
		var err error
		body, err = json.Marshal(in)
		w.s.ok(err)
	}
	got := w.call("POST", path, string(body))
	if got.status == 409 {
		return
	}
	var done agent.Enqueued
	w.s.ok(json.Unmarshal([]byte(got.body), &done))
	if got.status != 202 || w.run != "" {
		w.s.t.Fatalf("%s: %d %s, while %q is active", path, got.status, got.body, w.run)
	}
	w.run, w.oracle.behind, w.chosen, w.runs[done.RunID] = done.RunID, done.MessageID, done.MessageID, true
	if w.rand.IntN(4) > 0 {
		w.goOn()
	}
}

// steer says something to the run that is active.
func (w *walk) steer() {
	if w.run == "" {
		return
	}
	w.steered[w.says("POST", "/api/v1/runs/"+w.run+"/steer", fields{"content": "steer " + w.s.newID()}, 202).id()] = true
}

// goOn lets a run go on until it waits or ends, whatever dies on the way.
func (w *walk) goOn() {
	w.look()
	engine := w.s.engine(w.model, w.tools)
	engine.Provider = w.oracle
	for {
		run, err := w.s.db.Claim(w.s.t.Context(), "test", time.Minute)
		if agent.CodeOf(err) == agent.NotFound {
			break
		}
		w.s.ok(err)
		engine.Journal = &killed{w.s.db, 1000}
		if w.rand.IntN(4) == 0 {
			engine.Journal = &killed{w.s.db, w.rand.IntN(8)}
		}
		if err := engine.Advance(w.s.t.Context(), run); errors.Is(err, errKilled) {
			w.s.clock.Advance(2 * time.Minute)
		} else {
			w.s.ok(err)
		}
		w.look()
	}
	if run := w.runNow(w.run); run.Status.Ended() {
		w.run = ""
		w.takeBack()
	}
	w.look()
}

// takeBack deletes what was said too late: it waits for its turn.
func (w *walk) takeBack() {
	chat := "/api/v1/conversations/" + w.id + "/queue"
	var queue queueBody
	w.s.ok(json.Unmarshal([]byte(w.says("GET", chat, nil, 200).body), &queue))
	for _, it := range queue.Items {
		w.says("DELETE", chat+"/"+it.ID, nil, 204)
		delete(w.steered, it.ID)
	}
}

func (w *walk) runNow(id string) *agent.Run {
	run, err := w.s.db.Run(w.s.t.Context(), agent.Viewer{Role: agent.RoleAdmin}, id)
	w.s.ok(err)
	return run
}

// settle approves, rejects, or aborts what a run waits for, or lets it go on.
func (w *walk) settle() {
	if w.run == "" {
		return
	}
	run := w.runNow(w.run)
	switch {
	case w.rand.IntN(3) == 0:
		w.says("POST", "/api/v1/runs/"+run.ID+"/abort", nil, 202)
	case run.Status == agent.StatusPaused:
		card := w.s.pending(run)
		in := fields{"decision": "approve", "argsHash": card.ArgsHash, "generation": card.Generation}
		if w.approved++; w.rand.IntN(3) == 0 {
			in["decision"] = "reject"
			w.approved--
		}
		w.rex.says("POST", "/api/v1/approvals/"+card.ID+"/decision", in, 200)
	}
	w.goOn()
}

// end lets no run be active.
func (w *walk) end() {
	if w.run != "" {
		w.says("POST", "/api/v1/runs/"+w.run+"/abort", nil, 202)
		w.goOn()
	}
}

// look reads in the log what was said and deleted since.
func (w *walk) look() {
	events, err := w.s.db.Events(w.s.t.Context(), w.id, 0, 5000)
	w.s.ok(err)
	known := map[string]agent.Message{}
	for _, e := range events {
		if d, ok := e.Data.(agent.MessageEvent); ok {
			known[d.Message.ID] = d.Message
			w.heard[d.Message.ID] = w.heard[d.Message.ID] || d.Message.Steered
		}
	}
	for id := range w.oracle.known {
		if _, ok := known[id]; !ok {
			w.gone[id] = true
		}
	}
	w.oracle.known = known
	if _, ok := known[w.chosen]; ok && !slices.ContainsFunc(w.branch(""), func(m agent.Message) bool { return m.ID == w.chosen }) {
		w.s.t.Errorf("the branch of %s was chosen, and is not shown", w.chosen)
	}
}

// allIsReached follows the versions from the branch that is chosen.
func (w *walk) allIsReached() {
	reached := map[string]bool{}
	next := []string{""}
	for len(next) > 0 {
		branch := w.branch(next[0])
		next = next[1:]
		for i, m := range branch {
			if m.ParentID != parentIn(branch, i) || m.Content != w.oracle.known[m.ID].Content {
				w.s.t.Errorf("%q stands behind %q", m.Content, parentIn(branch, i))
			}
			for _, id := range slices.Concat(m.Siblings, m.Followers) {
				if !reached[id] && id != m.ID {
					next = append(next, id)
				}
			}
			reached[m.ID] = true
		}
	}
	for id, m := range w.oracle.known {
		if !reached[id] {
			w.s.t.Errorf("%s %q cannot be reached", id, m.Content)
		}
	}
	for id := range w.gone {
		w.says("GET", "/api/v1/conversations/"+w.id+"/messages?branch="+id, nil, 404)
	}
	if len(reached) != len(w.oracle.known) {
		w.s.t.Errorf("%d messages are reached, %d are there", len(reached), len(w.oracle.known))
	}
}

// booksAgree holds the bill against the runs, and what was done against what was approved.
func (w *walk) booksAgree() {
	var micros int64
	for id := range w.runs {
		micros += w.runNow(id).CostMicros
	}
	var spend struct {
		Items []struct{ CostMicros int64 }
	}
	w.s.ok(json.Unmarshal([]byte(w.says("GET", "/api/v1/spend?mine=true&group=conversation", nil, 200).body), &spend))
	var billed int64
	for _, row := range spend.Items {
		billed += row.CostMicros
	}
	if billed != micros {
		w.s.t.Errorf("billed are %d, the runs cost %d", billed, micros)
	}
	if _, err := store.CheckLedger(w.s.t.Context(), w.s.file, time.UTC); err != nil {
		w.s.t.Error(err)
	}
	maps.DeleteFunc(w.heard, func(_ string, steered bool) bool { return !steered })
	if len(w.heard) != len(w.steered) {
		w.s.t.Errorf("%d messages were said to runs, %d were heard", len(w.steered), len(w.heard))
	}
	if len(w.tools.ran) != w.approved {
		w.s.t.Errorf("%d commands ran, %d were approved", len(w.tools.ran), w.approved)
	}
}
