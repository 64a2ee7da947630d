package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"fusebox/agent/agenttest"
)

// again is kill -9 and a new process on the same data.
func (c *cast) again() {
	c.t.Helper()
	c.restart(c.t)
	c.root.url = c.url
}

// askedFromBelow: a question from two levels down is seen by everybody whom it concerns, also
// after a restart, and its answer goes to the run that asked.
func askedFromBelow() scene {
	const task = "Have the log cleaned, please."
	return scene{
		actors: []actor{{Name: "lead", Tools: []string{"delegate"}}, {Name: "hand", Tools: []string{"run_shell"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn == 0 {
					return does(delegates("lead", "Have the log cleaned.", nil))
				}
				return says("The log is clean.")
			},
			"lead": func(c cue) reply {
				if c.turn == 0 {
					return does(delegates("hand", "Append CLEAN to effects.log.", nil))
				}
				return says("It was cleaned.")
			},
			"hand": func(c cue) reply {
				if c.turn == 0 {
					return does(sh("echo CLEAN >> effects.log"))
				}
				return says("cleaned")
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, "")
			card := c.pending(conversation, 1)[0]
			lead, hand := c.byAgent(conversation, "lead", ""), c.byAgent(conversation, "hand", "")
			want := []any{
				map[string]any{"runId": run, "task": task},
				map[string]any{"runId": lead.id, "agent": "lead", "task": "Have the log cleaned."},
				map[string]any{"runId": hand.id, "agent": "hand", "task": "Append CLEAN to effects.log."},
			}
			if card["runId"] != hand.id || card["agent"] != "hand" || fmt.Sprint(card["path"]) != fmt.Sprint(want) {
				t.Errorf("the card is %v, want the way %v", card, want)
			}
			if evidence := card["evidence"].(map[string]any); evidence["command"] != "echo CLEAN >> effects.log" || evidence["cwd"] == nil {
				t.Errorf("the evidence is %v", evidence)
			}
			for who, paths := range map[*api][]string{&c.rex: {"/approvals", "/runs/" + hand.id}, &c.ana: {"/c/" + conversation, "/runs/" + hand.id}} {
				for _, path := range paths {
					if status, page := who.call("GET", path, ""); status != http.StatusOK || !strings.Contains(string(page), card["id"].(string)) {
						t.Errorf("%s: %d, and shows no card", path, status)
					}
				}
			}
			for id, below := range map[string]string{run: lead.id, lead.id: hand.id} {
				c.is(id, "paused", 0)
				if v := c.ana.must("GET", "/api/v1/runs/"+id, ""); fmt.Sprint(v["children"]) != fmt.Sprint([]string{below}) {
					t.Errorf("the children are %v, want %s", v["children"], below)
				}
			}
			c.again()
			if v := c.ana.must("GET", "/api/v1/runs/"+hand.id, ""); v["status"] != "paused" || fmt.Sprint(v["pendingApprovalIds"]) != fmt.Sprint([]any{card["id"]}) || v["rootRunId"] != run || v["parentRunId"] != lead.id {
				t.Errorf("after a restart the run that asks is %v", v)
			}
			if status, v := decides(c.rex, card, `{"decision":"approve"}`); status != http.StatusOK {
				t.Fatalf("%d %v", status, v)
			}
			if v := c.ended(run); v["status"] != "finished" || c.file(conversation, "effects.log") != "CLEAN\n" {
				t.Errorf("the root is %v; the log has %q", v, c.file(conversation, "effects.log"))
			}
			if n := []int{len(c.model.requests("hand", "")), len(c.model.requests("lead", "")), len(c.model.requests("", task))}; fmt.Sprint(n) != "[2 2 2]" {
				t.Errorf("hand, lead, and root have made %v requests", n)
			}
			c.settled(conversation)
		},
	}
}

// is waits until ana's run has a status and a place.
func (c *cast) is(run, status string, place int) { c.root.is(run, status, place) }

// killedInEffect: after a crash between an effect and its result a person says for each call
// what happened; what had ended is not done again.
func killedInEffect() scene {
	const task = "Pay A and B, and write a receipt."
	return scene{
		actors: []actor{{Name: "payer", Tools: []string{"run_shell"}}, {Name: "clerk", Tools: []string{"write_file"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn == 0 {
					return does(delegates("payer", "Pay A", nil), delegates("payer", "Pay B", nil), delegates("clerk", "Write receipt", nil))
				}
				return says("Both are paid.")
			},
			"payer": func(c cue) reply {
				if c.turn == 0 {
					return does(sh("echo PAID " + strings.TrimPrefix(c.task, "Pay ") + " >> effects.log; sleep 1000"))
				}
				return says("Paid: " + c.results[0])
			},
			"clerk": func(c cue) reply {
				if c.turn == 0 {
					return does(writes("receipt.txt", "A and B"))
				}
				return says("written")
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.root, task, `{"approvalMode":"yolo"}`)
			agenttest.Eventually(t, "both payments", func() bool { return strings.Count(c.file(conversation, "effects.log"), "\n") == 2 })
			c.awaits(conversation, "clerk", func(r map[string]any) bool { return r["status"] == "finished" })
			c.again()
			for _, card := range c.pending(conversation, 2) {
				way := card["path"].([]any)
				last := way[len(way)-1].(map[string]any)
				if card["kind"] != "outcome" || card["agent"] != "payer" || last["runId"] != card["runId"] || !strings.HasPrefix(last["task"].(string), "Pay ") {
					t.Errorf("the card is %v", card)
				}
			}
			for _, r := range c.tree(conversation) {
				want := "paused"
				if r.agent == "clerk" {
					want = "finished"
				}
				c.is(r.id, want, 0)
			}
			for _, card := range c.pending(conversation, 2) {
				if status, v := decides(c.rex, card, `{"decision":"answer","answer":"It was paid."}`); status != http.StatusOK {
					t.Fatalf("%d %v", status, v)
				}
			}
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			log := c.file(conversation, "effects.log")
			if strings.Count(log, "PAID A\n") != 1 || strings.Count(log, "PAID B\n") != 1 || len(c.model.requests("clerk", "")) != 2 || len(c.model.requests("payer", "")) != 4 {
				t.Errorf("the log has %q after %d requests of payers and %d of the clerk", log, len(c.model.requests("payer", "")), len(c.model.requests("clerk", "")))
			}
			if all := c.settled(conversation); len(all) != 4 {
				t.Errorf("%d runs are in the tree", len(all))
			}
		},
	}
}

// killedBeforeNextStep: what children have come to is not asked for again where the crash
// comes between their end and their parent's next step; and what was stopped stays so.
func killedBeforeNextStep() scene {
	const task, stopped = "Pay C.", "Think for ever."
	var holds atomic.Bool
	holds.Store(true)
	return scene{
		actors: []actor{{Name: "cashier", Tools: []string{"run_shell"}}, {Name: "dreamer", Tools: []string{}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn == 0 {
					return does(delegates("cashier", "Pay C", nil))
				}
				return reply{says: "C is paid.", silent: holds.Load()}
			},
			"cashier": func(c cue) reply {
				if c.turn == 0 {
					return does(sh("echo PAID C >> effects.log"))
				}
				return says("paid")
			},
			stopped:   func(cue) reply { return does(delegates("dreamer", "Dream.", nil)) },
			"dreamer": func(cue) reply { return reply{silent: true} },
		},
		check: func(t *testing.T, c *cast) {
			dreams, root := c.begins(c.ana, stopped, "")
			agenttest.Eventually(t, "a dream", func() bool { return len(c.model.requests("dreamer", "")) == 1 })
			conversation, run := c.begins(c.root, task, `{"approvalMode":"yolo"}`)
			agenttest.Eventually(t, "the root's next request", func() bool { return len(c.model.requests("", task)) == 2 })
			holds.Store(false)
			c.ana.must("POST", "/api/v1/runs/"+root+"/abort", "")
			c.again()
			if v := c.ended(run); v["status"] != "finished" || c.file(conversation, "effects.log") != "PAID C\n" || len(c.model.requests("cashier", "")) != 2 {
				t.Errorf("the root is %v; %d requests of the child; the log has %q", v, len(c.model.requests("cashier", "")), c.file(conversation, "effects.log"))
			}
			c.settled(conversation)
			c.ended(root)
			for _, r := range c.settled(dreams) {
				if r.status != "aborted" {
					t.Errorf("the stopped run of %q is %s", r.agent, r.status)
				}
			}
			if n := len(c.model.requests("dreamer", "")); n != 1 {
				t.Errorf("what was stopped asked the model %d times", n)
			}
		},
	}
}

// TestKilledTrees is kill -9 at the moments of a tree that matter, one after the other.
func TestKilledTrees(t *testing.T) {
	t.Parallel()
	scenes := []scene{askedFromBelow(), killedInEffect(), killedBeforeNextStep()}
	c := playing(t, scenes)
	for _, s := range scenes {
		s.check(t, c)
	}
	if ledger := administer(t, c.data, "ledger", "verify"); !strings.Contains(ledger, " 0 reservations open") {
		t.Errorf("the ledger says %s", ledger)
	}
}
