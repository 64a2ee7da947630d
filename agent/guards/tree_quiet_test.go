package guards_test

import (
	"fmt"
	"testing"

	"fusebox/agent"
)

// TestHonestTrees: legitimate work of several runs, parts of which look like a loop.
func TestHonestTrees(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		play func(*forest)
	}{
		{"twenty children of one answer that read one guide, twice", func(f *forest) {
			names := children(f, 20, "scribe")
			for range 2 {
				for _, run := range names {
					f.call(run, "read:style=short words")
				}
			}
			for _, run := range names {
				f.call(run, "write:"+run+"=ok").call(run, "read:style=short words")
			}
		}},
		{"twenty children one after the other, each with a file of its own", func(f *forest) {
			for i := range 20 {
				run := fmt.Sprint("scribe", i)
				f.delegate("root", run, "scribe").call(run, "read:style=short words").call(run, "look:all=many")
				f.call(run, "write:"+run+"=ok").end(run, "The file is written as the guide says.")
			}
		}},
		{"twenty researchers one after the other that read one guide, twice", func(f *forest) {
			for i := range 20 {
				run := fmt.Sprint("scout", i)
				f.delegate("root", run, "scout").call(run, "read:guide=how to").call(run, fmt.Sprintf("search:%d=found %d", i, i))
				f.call(run, "read:guide=how to").end(run, "I have found it.")
			}
		}},
		{"three researchers that look for different things", func(f *forest) {
			names := children(f, 3, "scout")
			for i := range 12 {
				for _, run := range names {
					f.call(run, fmt.Sprintf("search:%s%d=%d", run, i, i))
				}
			}
		}},
		{"four rounds of drafts and remarks", func(f *forest) {
			drafts := []string{"The garden is green.", "In spring the garden wakes, and its keeper with it.", "A keeper walks through March rain, and counts what has survived.", "Eleven roses out of forty: the keeper writes it down and smiles."}
			remarks := []string{"Too short: say when it is, and who is there.", "Better. Show what the weather does.", "Now give numbers, so that the loss is felt.", "Print it."}
			for i := range 4 {
				w, r := fmt.Sprint("w", i), fmt.Sprint("r", i)
				f.delegate("root", w, "writer").end(w, drafts[i]).delegate("root", r, "reviewer").end(r, remarks[i])
			}
		}},
		{"six rounds in which only the file changes", func(f *forest) {
			for i := range 6 {
				w, r := fmt.Sprint("w", i), fmt.Sprint("r", i)
				f.delegate("root", w, "writer").call(w, fmt.Sprintf("write:draft %d=ok", i)).end(w, "The draft is changed as you asked.")
				f.delegate("root", r, "reviewer").call(r, fmt.Sprintf("read:draft=text %d", i)).end(r, "Please shorten the last part a little more.")
			}
		}},
		{"siblings that poll", func(f *forest) {
			names := children(f, 5, "watcher")
			for range 4 {
				for _, run := range names {
					f.call(run, "~poll:job=waiting")
				}
			}
		}},
		{"ten runs of the tests in one child, beside one that does the same", func(f *forest) {
			names := children(f, 2, "smith")
			for i := range 10 {
				for _, run := range names {
					f.call(run, fmt.Sprintf("write:%s%d=ok", run, i)).call(run, "test:all=2 failed")
				}
			}
		}},
		{"a tester and a fixer in turns, and the tests stay red", func(f *forest) {
			for i := range 10 {
				a, b := fmt.Sprint("t", i), fmt.Sprint("f", i)
				f.delegate("root", a, "tester").call(a, "test:all=2 failed").call(a, "test:all=2 failed").end(a, "Two fail.")
				f.delegate("root", b, "fixer").call(b, fmt.Sprintf("write:%d=ok", i)).end(b, "I have changed it.")
			}
		}},
		{"the same, with the same words, and a parent that looks at the list in between", func(f *forest) {
			f.same = true
			for i := range 10 {
				a, b := fmt.Sprint("t", i), fmt.Sprint("f", i)
				f.delegate("root", a, "tester").call(a, "test:all=2 failed").end(a, "Two fail.")
				f.delegate("root", b, "fixer").call(b, fmt.Sprintf("write:%d=ok", i)).end(b, "I have changed it.")
				f.call("root", "look:list=2 left")
			}
		}},
		{"a parent that reads again what its children have written", func(f *forest) {
			for i := range 10 {
				run := fmt.Sprint("scribe", i)
				f.delegate("root", run, "scribe").call(run, fmt.Sprintf("write:part %d=ok", i)).end(run, "It is written.")
				f.call("root", fmt.Sprintf("read:book=%d parts", i))
			}
		}},
		{"children that list one folder and then work on their own files", func(f *forest) {
			for _, run := range children(f, 12, "smith") {
				f.call(run, "list:src=many")
			}
			for i := range 12 {
				run := fmt.Sprint("later", i)
				f.delegate("root", run, "smith").call(run, "list:src=many").call(run, fmt.Sprintf("read:%d=text %d", i, i)).end(run, "Fine.")
			}
		}},
		{"two children that try again after errors and go on", func(f *forest) {
			for _, result := range []string{"no such host", "no such host", "up", "next"} {
				for _, run := range []string{"smith0", "smith1"} {
					if f.runs[run] == nil {
						children(f, 2, "smith")
					}
					f.call(run, "run:deploy "+run+"="+result)
				}
			}
		}},
		{"a task handed over to another agent after an error", func(f *forest) {
			f.delegate("root", "a", "scout").call("a", "read:x=no such file").end("a", "no such file")
			f.delegate("root", "b", "smith").call("b", "read:x=no such file").call("b", "write:x=ok").end("b", "Made it.")
			f.delegate("root", "c", "scout").call("c", "read:x=one").end("c", "It is one.")
		}},
		{"eight reviewers, each with an eye of its own", func(f *forest) {
			for i := range 8 {
				run := fmt.Sprint("r", i)
				f.delegate("root", run, run+"-reviewer").call(run, "read:x=one").call(run, "read:y=two").end(run, fmt.Sprintf("Remark %d of its own.", i))
			}
		}},
		{"a sibling that makes once what others repeat", func(f *forest) {
			names := children(f, 3, "scout")
			for range 3 {
				f.call(names[0], "read:x=one").call(names[1], "read:x=one")
			}
			f.said = nil // they are warned
			f.call(names[2], "read:x=one")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := plant()
			tc.play(f)
			for _, said := range f.said {
				t.Error(said)
			}
		})
	}
}

// children makes n runs in one answer of the root.
func children(f *forest, n int, agentName string) (names []string) {
	f.runs["root"].step++
	for i := range n {
		names = append(names, fmt.Sprint(agentName, i))
		f.also("root", names[i], agentName)
	}
	return names
}

// TestTreeEvidence: a verdict names the calls of all runs that have a part in it, and of the
// run that is judged the positions; its message names the agents.
func TestTreeEvidence(t *testing.T) {
	t.Parallel()
	f := plant().delegate("root", "a", "scout").also("root", "b", "scribe")
	f.call("b", "read:other=two")
	for range 4 {
		f.call("a", "read:x=one").call("b", "read:x=one")
	}
	if got, want := fmt.Sprint(f.last.Calls), "[2 3 4 5]"; got != want {
		t.Errorf("calls of the run are %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(f.last.Among), "[{a c1} {b c2} {a c2} {b c3} {a c3} {b c4} {a c4} {b c5}]"; got != want {
		t.Errorf("all calls are %s, want %s", got, want)
	}
	if want := "read was called 8 times by 2 runs (scout, scribe) with the same arguments and the same result."; f.last.Message != want {
		t.Errorf("it says %q, want %q", f.last.Message, want)
	}
	// The next one who goes on is stopped, each of the runs once a person had a say.
	f.call("a", "read:x=one").call("b", "read:x=one").call("a", "read:x=one")
	if f.last.Level != agent.Stop || f.last.Count != 11 {
		t.Errorf("%s at %d", f.last.Level, f.last.Count)
	}
}
