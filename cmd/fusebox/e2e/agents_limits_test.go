package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// loopBelow: an agent that does the same again and again pauses, its sibling goes on, and
// the one who waits for both is not counted as looping.
func loopBelow() scene {
	const task = "Have the notes read and a greeting written."
	return scene{
		actors: []actor{{Name: "scout", Tools: []string{"read_file"}}, {Name: "scribe", Tools: []string{"write_file"}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				if c.turn == 0 {
					return does(delegates("scout", "Read notes.txt.", nil), delegates("scribe", "Write a greeting to hello.txt.", nil))
				}
				return says("The greeting is written, the notes have one line.")
			},
			"scout": func(c cue) reply {
				if len(c.tools) == 0 {
					return says("It holds one line.")
				}
				ways := []string{`{"path":"notes.txt","offset":0,"limit":100}`, `{"limit":100,"path":"notes.txt","offset":0}`, `{"offset": 0, "limit": 100, "path": "notes.txt"}`}
				return does(asked{"read_file", ways[c.turn%len(ways)]})
			},
			"scribe": func(c cue) reply {
				if c.turn == 0 {
					return does(writes("hello.txt", "Hello."))
				}
				return says("done")
			},
		},
		check: func(t *testing.T, c *cast) {
			conversation := c.ana.must("POST", "/api/v1/conversations", `{"approvalMode":"auto_edit"}`)["id"].(string)
			c.puts(conversation, "notes.txt", "one line")
			run := c.ana.post(conversation, task)
			card := c.pending(conversation, 1)[0]
			scout := c.byAgent(conversation, "scout", "")
			evidence := card["evidence"].(map[string]any)
			if card["kind"] != "loop" || card["runId"] != scout.id || card["agent"] != "scout" || evidence["count"] != 8.0 {
				t.Errorf("the card is %v", card)
			}
			way := card["path"].([]any)
			if last := way[len(way)-1].(map[string]any); len(way) != 2 || way[0].(map[string]any)["runId"] != run || last["task"] != "Read notes.txt." {
				t.Errorf("the way to the card is %v", way)
			}
			c.awaits(conversation, "scribe", func(r map[string]any) bool { return r["status"] == "finished" })
			if text := c.file(conversation, "hello.txt"); text != "Hello." {
				t.Errorf("the sibling wrote %q", text)
			}
			if v := c.ana.rests(run); v["status"] != "paused" {
				t.Errorf("the root is %v while its child waits", v["status"])
			}
			if status, v := decides(c.rex, card, `{"decision":"resume","answer":"finish_now"}`); status != 200 {
				t.Fatalf("%d %v", status, v)
			}
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			for _, e := range ofType(c.root.events(conversation, 0), "guard") {
				if e["runId"] != scout.id {
					t.Errorf("a guard spoke about %v: %v", e["runId"], e)
				}
			}
			c.settled(conversation)
			second := c.model.requests("", task)[1]
			if h := readHanded(second.results[0]); h.RunID != scout.id || h.Status == "finished" || h.StopReason != "loop" || h.Answer+strings.Join(h.Did, "") == "" {
				t.Errorf("the root reads %s", second.results[0])
			}
		},
	}
}

// handedOn: whoever hands on their own task is told to do it; nobody ends before those who
// work for them; and it ends at the depth that is allowed.
func handedOn() scene {
	const same, reworded, announced, stubborn = "Who knows the number?", "Who can say the number?", "Who starts on the number?", "Who insists on the number?"
	words := []string{"find the number in a.txt", "look up the number in a.txt", "what number does a.txt hold", "say which number stands in a.txt", "read me the number of a.txt"}
	begins := func(task string) func(cue) reply {
		return func(c cue) reply {
			if c.turn == 0 {
				return does(delegates("helper", task, nil))
			}
			return says(c.results[0])
		}
	}
	reads := asked{"read_file", `{"path":"a.txt"}`}
	found := func(c cue) reply {
		if strings.Contains(strings.Join(c.results, " "), "42") {
			return says("42")
		}
		return does(reads)
	}
	return scene{
		actors: []actor{{Name: "helper", Tools: []string{"delegate", "read_file"}}},
		plays: map[string]func(cue) reply{
			same: begins(words[0]), reworded: begins("b: " + words[0]), announced: begins("c: " + words[0]), stubborn: begins("d: " + words[0]),
			"helper": func(c cue) reply {
				variant, task, marked := strings.Cut(c.task, ": ")
				if !marked {
					variant, task = "a", c.task
				}
				at := slices.Index(words, task)
				switch {
				case variant == "a" && c.turn == 0:
					return does(delegates("helper", strings.ToUpper(task)+" ", nil))
				case variant == "b" && c.turn == 0 && c.offered("delegate"), variant == "d" && c.turn == 0:
					return does(delegates("helper", variant+": "+words[at+1], nil))
				case variant == "c" && c.turn == 0 && at == 0:
					return reply{says: "I have started an agent, its result will follow.", calls: []asked{delegates("helper", "c: "+words[1], nil)}}
				default:
					return found(c)
				}
			},
		},
		check: func(t *testing.T, c *cast) {
			for task, runs := range map[string]int{same: 2, reworded: 4, announced: 3, stubborn: 4} {
				conversation := c.ana.must("POST", "/api/v1/conversations", `{}`)["id"].(string)
				c.puts(conversation, "a.txt", "42")
				run := c.ana.post(conversation, task)
				if v := c.ended(run); v["status"] != "finished" {
					t.Errorf("%s: the root is %v", task, v)
				}
				all := c.settled(conversation)
				if len(all) != runs {
					t.Errorf("%s: %d runs, want %d", task, len(all), runs)
				}
				if h := readHanded(c.model.requests("", task)[1].results[0]); h.Answer != "42" || h.Partial {
					t.Errorf("%s: the root reads %+v", task, h)
				}
			}
			deepest := 0
			for _, q := range c.model.requests("helper", "") {
				if !q.offered("delegate") {
					deepest++
				}
			}
			if deepest != 5 { // two of b, three of d, which is told once more that it cannot
				t.Errorf("%d requests did not offer to delegate", deepest)
			}
			at := slices.IndexFunc(c.model.requests("helper", ""), func(q cue) bool { return q.task == words[0] && q.turn == 1 })
			if told := c.model.requests("helper", "")[at].results[0]; !strings.HasPrefix(told, "Error") || !strings.Contains(told, "Do the work yourself") {
				t.Errorf("whoever hands on their own task is told %q", told)
			}
		},
	}
}

// manyAtOnce: a tree has 50 runs at most.
func manyAtOnce() scene {
	const task = "Ask everybody."
	return scene{
		actors: []actor{{Name: "one", Tools: []string{}}},
		plays: map[string]func(cue) reply{
			task: func(c cue) reply {
				var calls []asked
				for i := range 10 {
					calls = append(calls, delegates("one", fmt.Sprintf("You are %c%c.", 'a'+c.turn, 'k'+i), nil))
				}
				if c.turn == 5 {
					return says("Everybody was asked.")
				}
				return does(calls...)
			},
			"one": func(c cue) reply { return says("Here: " + c.task) },
		},
		check: func(t *testing.T, c *cast) {
			conversation, run := c.begins(c.ana, task, "")
			if v := c.ended(run); v["status"] != "finished" {
				t.Errorf("the root is %v", v)
			}
			if all := c.settled(conversation); len(all) != 50 {
				t.Errorf("%d runs are in the tree", len(all))
			}
			asked := c.model.requests("", task)
			results := asked[len(asked)-1].results
			if last := results[len(results)-1]; len(results) != 50 || !strings.HasPrefix(last, "Error") || !strings.Contains(last, "50") {
				t.Errorf("%d results, the last one %q", len(results), last)
			}
			if before := results[len(results)-2]; readHanded(before).Answer != "Here: You are es." {
				t.Errorf("the 49th child answers %q", before)
			}
		},
	}
}

// limitBelow: a run that has reached its limit hands in what it has, and is never said to
// have finished.
func limitBelow() scene {
	const answered, silent = "Have nine parts written.", "Have nine parts written, whatever comes."
	outputs := map[string]string{"files": "list", "tests": "string"}
	begins := func(task string) func(cue) reply {
		return func(c cue) reply {
			if c.turn == 0 {
				return does(delegates("builder", task, outputs))
			}
			return says("Five parts are there.")
		}
	}
	return scene{
		actors: []actor{{Name: "builder", Tools: []string{"write_file", "emit_value"}, Limits: map[string]int{"steps": 6}}},
		plays: map[string]func(cue) reply{
			answered: begins("Write part1 to part9."), silent: begins("Write part1 to part9, b."),
			"builder": func(c cue) reply {
				part := writes(fmt.Sprintf("part%d", c.turn+1), "text")
				if len(c.tools) > 0 || strings.HasSuffix(c.task, ", b.") {
					return does(part)
				}
				return says(`{"files":["part1","part2","part3","part4","part5","part6"],"tests":"not run"}`)
			},
		},
		check: func(t *testing.T, c *cast) {
			for _, task := range []string{answered, silent} {
				conversation, run := c.begins(c.ana, task, `{"approvalMode":"auto_edit"}`)
				if v := c.ended(run); v["status"] != "finished" {
					t.Errorf("the root is %v", v)
				}
				c.settled(conversation)
				h := readHanded(c.model.requests("", task)[1].results[0])
				if h.Status != "stopped" || h.StopReason != "max_steps" || !h.Partial || len(h.Effects) != 6 || !strings.Contains(h.Effects[5], "part6") {
					t.Errorf("%s: the root reads %+v", task, h)
				}
				if files, _ := h.Values["files"].([]any); task == answered && (len(files) != 6 || h.Values["tests"] != "not run") {
					t.Errorf("the values are %v", h.Values)
				}
				without := 0
				builder := c.byAgent(conversation, "builder", "")
				for _, q := range c.model.requests("builder", builder.task) {
					if len(q.tools) == 0 {
						without++
					}
				}
				if without != 1 || c.file(conversation, "part7") != "" {
					t.Errorf("%s: %d requests without tools; part7 has %q", task, without, c.file(conversation, "part7"))
				}
			}
		},
	}
}
