package e2e

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent/agenttest"
)

// adds is a worker that takes three steps of about 1500 tokens and an answer of a thousand.
func adds(c cue) reply {
	took := [2]int64{int64(len(c.told)) / 4, 1000}
	if c.turn == 2 {
		return reply{says: "It is a long list.", took: took}
	}
	return reply{calls: []asked{{"calculator", fmt.Sprintf(`{"expression":"%d+1"}`, c.turn)}}, took: took}
}

// listsOf are the tasks of eight workers.
func listsOf(worker string) (calls []asked) {
	for i := range 8 {
		calls = append(calls, delegates(worker, fmt.Sprintf("Add up list %d. %s", i, strings.Repeat("seven ", 500)), nil))
	}
	return calls
}

// oneBudget: the runs of a tree never take more than their root may, and one card asks for all.
func oneBudget() scene {
	const task = "Add up eight lists with little money."
	const limit = 20_000
	return scene{
		actors: []actor{{Name: "worker", Tools: []string{"calculator"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				return reply{calls: listsOf("worker"), took: [2]int64{5000, 1000}}
			},
			"worker": adds,
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, fmt.Sprintf(`{"runTokenLimit":%d}`, limit))
			card := c.pending(conversation, 1)[0]
			if card["kind"] != "budget" || card["runId"] != run {
				t.Fatalf("the card is %v", card)
			}
			// All wait for the card now, or have ended.
			agenttest.Eventually(t, "the tree to rest", func() bool {
				for _, r := range c.tree(conversation) {
					if s := c.root.must("GET", "/api/v1/runs/"+r.id, "")["status"]; s == "running" || s == "queued" {
						return false
					}
				}
				return true
			})
			c.pending(conversation, 1)
			used := c.tokens(conversation)
			if used > limit || used < limit/2 {
				t.Errorf("the tree has used %d of %d", used, limit)
			}
			var told int64 = 6000
			for _, q := range c.model.requests("worker", "Add up list") {
				told += int64(len(q.told))/4 + 1000
			}
			if told != used {
				t.Errorf("the endpoint has counted %d tokens, the bill has %d", told, used)
			}
			if status, v := decides(c.rex, card, `{"decision":"abort"}`); status != 200 {
				t.Fatalf("%d %v", status, v)
			}
			if v := c.ended(run); v["status"] != "aborted" {
				t.Errorf("the root is %v", v)
			}
			if all := c.settled(conversation); len(all) != 9 || c.tokens(conversation) != used {
				t.Errorf("%d runs; %d tokens after the end, %d before", len(all), c.tokens(conversation), used)
			}
		},
	}
}

// tokens is what all runs of a conversation have used.
func (c *cast) tokens(conversation string) (sum int64) {
	for _, r := range c.tree(conversation) {
		u := c.root.must("GET", "/api/v1/runs/"+r.id, "")["usage"].(map[string]any)
		sum += int64(u["inputTokens"].(float64)) + int64(u["outputTokens"].(float64))
	}
	return sum
}

// sameChance: of those who are asked at once, none may reserve all that is left. The model
// answers nobody before all have asked.
func sameChance() scene {
	const task = "Add up eight lists with enough money."
	all := meetingOf(8)
	return scene{
		actors: []actor{{Name: "fellow", Tools: []string{"calculator"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn == 0 {
					return reply{calls: listsOf("fellow"), took: [2]int64{5000, 1000}}
				}
				return says("All are added up.")
			},
			"fellow": func(c cue) reply {
				if c.turn == 0 {
					all.join(c)
				}
				return adds(c)
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, `{"runTokenLimit":150000}`)
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			c.settled(conversation)
		},
	}
}
