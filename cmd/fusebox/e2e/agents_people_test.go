package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fusebox/agent/agenttest"
)

// twoCards: two agents ask for nearly the same; each decision is about one of them, and what
// is granted for a run is granted to the run that asked.
func twoCards() scene {
	const task = "Have two names written."
	both := meetingOf(2)
	asksTwice := func(name string) func(cue) reply {
		return func(c cue) reply {
			switch {
			case c.turn == 0:
				both.join(c)
				return does(sh("echo " + name + " >> effects.log"))
			case c.turn == 1 && !strings.HasPrefix(c.results[0], "Error"):
				return does(sh("echo " + name + " >> effects.log; true"))
			default:
				return says(name + " was told: " + c.results[len(c.results)-1])
			}
		}
	}
	return scene{
		actors: []actor{{Name: "east", Tools: []string{"run_shell"}}, {Name: "west", Tools: []string{"run_shell"}}, {Name: "north", Tools: []string{"read_file"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				switch c.turn {
				case 0:
					return does(delegates("east", "Append your name to effects.log.", nil), delegates("west", "Append your name to effects.log.", nil))
				case 1:
					return does(delegates("north", "Append the name of east to effects.log.", nil))
				default:
					return says("East has signed, west was not let.")
				}
			},
			"east": asksTwice("east"), "west": asksTwice("west"),
			"north": func(c cue) reply {
				if c.turn == 0 {
					return does(sh("echo east >> effects.log"))
				}
				return says("I cannot.")
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, "")
			cards := c.pending(conversation, 2)
			slices.SortFunc(cards, func(a, b map[string]any) int {
				return strings.Compare(a["agent"].(string), b["agent"].(string))
			})
			east, west := cards[0], cards[1]
			if east["agent"] != "east" || west["agent"] != "west" || east["argsHash"] == west["argsHash"] || east["runId"] == west["runId"] {
				t.Fatalf("the cards are %v", cards)
			}
			crossed := map[string]any{"id": east["id"], "argsHash": west["argsHash"], "generation": east["generation"]}
			c.rex.conflicts(crossed, `{"decision":"approve"}`)
			if status, v := decides(c.rex, east, `{"decision":"approve","scope":"run"}`); status != 200 {
				t.Fatalf("%d %v", status, v)
			}
			c.awaits(conversation, "east", func(r map[string]any) bool { return r["status"] == "finished" })
			if text := c.file(conversation, "effects.log"); text != "east\neast\n" {
				t.Errorf("the log has %q", text)
			}
			if left := c.pending(conversation, 1)[0]; left["id"] != west["id"] || left["generation"] != west["generation"] {
				t.Errorf("west's card has become %v", left)
			}
			if status, v := decides(c.rex, west, `{"decision":"reject","comment":"not you"}`); status != 200 {
				t.Fatalf("%d %v", status, v)
			}
			c.rex.conflicts(west, `{"decision":"approve"}`)
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			c.settled(conversation)
			if text := c.file(conversation, "effects.log"); text != "east\neast\n" {
				t.Errorf("the log has %q at the end", text)
			}
			told := c.model.requests("", task)[2].results
			if h := readHanded(told[1]); !strings.Contains(h.Answer, "not you") || !strings.Contains(told[0], "east was told") {
				t.Errorf("the root reads %q", told)
			}
			north := c.model.requests("north", "")
			if north[0].offered("run_shell") || !strings.HasPrefix(north[1].results[0], "Error") {
				t.Errorf("whoever has no shell is offered %v and told %q", north[0].tools, north[1].results)
			}
		},
	}
}

// threeWaysToWork are a shell that leaves a writer in the background, an answer that never
// ends, and a question.
func threeWaysToWork(suffix string) (actors []actor, plays map[string]func(cue) reply, begin []asked) {
	runner, thinker, asker := "runner"+suffix, "thinker"+suffix, "asker"+suffix
	actors = []actor{{Name: runner, Tools: []string{"run_shell"}}, {Name: thinker, Tools: []string{}}, {Name: asker, Tools: []string{"write_file"}}}
	plays = map[string]func(cue) reply{
		runner: func(c cue) reply {
			if c.turn > 0 {
				return says("It ran.")
			}
			return does(sh("(while echo tick >> tick.log; do sleep 1; done) & echo on >> on.log; echo " + suffix + "-sleeps; sleep 300"))
		},
		thinker: func(cue) reply { return reply{silent: true} },
		asker: func(c cue) reply {
			if c.turn > 0 {
				return says("Asked.")
			}
			return does(writes("asked.txt", "It was written."))
		},
	}
	return actors, plays, []asked{delegates(runner, "Run it.", nil), delegates(thinker, "Think.", nil), delegates(asker, "Write it.", nil)}
}

// inThreeStates waits until a command runs, an answer has begun, and a person is asked.
func (c *cast) inThreeStates(conversation, suffix string) (asker map[string]any) {
	c.t.Helper()
	cards := c.pending(conversation, 2)
	for _, card := range cards {
		if card["agent"] == "runner"+suffix {
			if status, v := decides(c.rex, card, `{"decision":"approve"}`); status != http.StatusOK {
				c.t.Fatalf("%d %v", status, v)
			}
		} else {
			asker = card
		}
	}
	agenttest.Eventually(c.t, "the command", func() bool { return c.file(conversation, "on.log") != "" && c.file(conversation, "tick.log") != "" })
	agenttest.Eventually(c.t, "the beginning of an answer", func() bool {
		return len(ofType(c.ana.events(conversation, 0), "text-delta")) > 0
	})
	return asker
}

// stoppedTree: an abort reaches commands, what they have left in the background, answers that
// are streamed, and questions.
func stoppedTree() scene {
	const task = "Have three things done until I stop you."
	actors, plays, begin := threeWaysToWork("_a")
	gone := make(chan struct{}, 10)
	plays["thinker_a"] = func(c cue) reply {
		go func() {
			<-c.left
			gone <- struct{}{}
		}()
		return reply{silent: true}
	}
	plays[task] = func(cue) reply { return does(begin...) }
	return scene{actors: actors, plays: plays, check: func(t *testing.T, c *cast) {
		conversation, run := c.begins(c.ana, task, "")
		card := c.inThreeStates(conversation, "_a")
		pressed := time.Now()
		for range 2 {
			c.ana.must("POST", "/api/v1/runs/"+run+"/abort", "")
		}
		c.ended(run)
		for _, e := range ofType(c.root.events(conversation, 0), "finish") {
			at, err := time.Parse(time.RFC3339, e["at"].(string))
			must(t, err)
			if took := at.Sub(pressed); agenttest.Full() && took > time.Second {
				t.Errorf("run %v ended %s after it was stopped", e["runId"], took)
			}
		}
		for _, r := range c.settled(conversation) {
			if r.status != "aborted" || r.reason != "user_abort" {
				t.Errorf("the run of %q is %s (%s)", r.agent, r.status, r.reason)
			}
		}
		c.ana.must("POST", "/api/v1/runs/"+run+"/abort", "")
		agenttest.Receive(t, "the end of the answer", gone)
		agenttest.Eventually(t, "the end of the command", func() bool { return len(running("_a-sleeps")) == 0 })
		ticks := c.file(conversation, "tick.log")
		c.rex.conflicts(card, `{"decision":"approve"}`)
		if text := c.file(conversation, "asked.txt"); text != "" {
			t.Errorf("it was written: %q", text)
		}
		c.pending(conversation, 0)
		if sum := c.tokens(conversation); sum <= 330 { // and what the answer without an end has taken
			t.Errorf("the bill has %d tokens", sum)
		}
		if now := c.file(conversation, "tick.log"); now != ticks {
			t.Errorf("the writer goes on")
		}
	}}
}

// stoppedInPart: a person who aborts one agent leaves its siblings at work, and whoever
// waits for them is told.
func stoppedInPart() scene {
	const task = "Have three things done, one of which I stop."
	actors, plays, begin := threeWaysToWork("_b")
	plays[task] = func(c cue) reply {
		if c.turn == 0 {
			return does(begin[0], begin[2])
		}
		return says("One was stopped.")
	}
	return scene{actors: actors[:3], plays: plays, check: func(t *testing.T, c *cast) {
		conversation, run := c.begins(c.ana, task, "")
		cards := c.pending(conversation, 2)
		for _, card := range cards {
			if card["agent"] == "runner_b" {
				decides(c.rex, card, `{"decision":"approve"}`)
			}
		}
		agenttest.Eventually(t, "the command", func() bool { return c.file(conversation, "on.log") != "" })
		runner := c.byAgent(conversation, "runner_b", "")
		c.ana.must("POST", "/api/v1/runs/"+runner.id+"/abort", "")
		c.ended(runner.id)
		if v := c.ana.rests(run); v["status"] != "paused" {
			t.Errorf("the root is %v", v)
		}
		decides(c.rex, c.pending(conversation, 1)[0], `{"decision":"approve"}`)
		if v := c.ended(run); v["status"] != "finished" || c.file(conversation, "asked.txt") == "" {
			t.Errorf("the root is %v", v)
		}
		c.settled(conversation)
		if told := c.model.requests("", task)[1].results[0]; !strings.HasPrefix(told, "Error") || !strings.Contains(told, "aborted by a person") || !strings.Contains(told, "tick.log") {
			t.Errorf("the root reads %q", told)
		}
	}}
}
