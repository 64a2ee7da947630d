package guards_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/fingerprint"
	"fusebox/agent/guards"
)

// forest plays a tree of runs as the engine does: each call is judged before it is made. Its
// root is the run "root".
type forest struct {
	settings agent.GuardSettings
	runs     map[string]*tracedRun
	calls    []agent.TreeRecord
	open     map[string]int // where the call is that has made a run
	same     bool           // an agent gets the same task each time
	// said is what the detectors have said, and at which call of which run.
	said []string
	last agent.Verdict
}

type tracedRun struct {
	self    agent.TreeRecord
	trace   *agent.Trace
	trips   agent.Trips
	n, step int
}

func plant() *forest {
	f := &forest{settings: agent.DefaultGuardSettings(), runs: map[string]*tracedRun{}, open: map[string]int{}}
	f.add(agent.TreeRecord{RunID: "root"})
	return f
}

func (f *forest) add(self agent.TreeRecord) {
	f.runs[self.RunID] = &tracedRun{self: self, trace: agent.NewTrace(agent.Reach(f.settings, agent.GuardConfig{}, 0), 0)}
}

// judge asks the detectors about the next call of a run, and puts it into the tree.
func (f *forest) judge(run string, rec agent.CallRecord) int {
	r := f.runs[run]
	r.n++
	rec.N, rec.Step, rec.CallID = r.n, r.step, fmt.Sprint("c", r.n)
	next := rec
	next.Result, next.Failed, next.Succeeded, next.Error, next.Words = "", false, false, "", ""
	h := r.trace.History(&next, f.settings)
	h.Tree = agent.NewTree(r.self, slices.Clone(f.calls))
	if v := agent.Assess(guards.All(f.settings), nil, &r.trips, h).Worst; v.Level > agent.Pass {
		f.said = append(f.said, fmt.Sprintf("%s %s %d %s", v.Level, v.Detector, v.Count, run))
		f.last = v
	}
	mine := r.self
	mine.CallRecord = rec
	f.calls = append(f.calls, mine)
	return len(f.calls) - 1
}

// call makes a call, "tool:args=result", in an answer of its own. Tools that begin with
// "write" act; what follows "~" marks a polling one, and "no such" begins an error.
func (f *forest) call(run, text string) *forest {
	rec := agent.CallRecord{}
	text, rec.Polling = strings.CutPrefix(text, "~")
	what, result, _ := strings.Cut(text, "=")
	rec.Tool, rec.Args, _ = strings.Cut(what, ":")
	rec.Shape, rec.Result = rec.Args, result
	rec.Failed = strings.HasPrefix(result, "no such")
	rec.Succeeded = !rec.Failed
	rec.Writes = strings.HasPrefix(rec.Tool, "write")
	rec.Acts = rec.Writes || rec.Tool == "run"
	if rec.Failed {
		rec.Error, rec.Words, rec.Sketch = result, result, fingerprint.Sketch(rec.Args)
	}
	f.runs[run].step++
	f.judge(run, rec)
	rec.N, rec.Step = f.runs[run].n, f.runs[run].step
	f.runs[run].trace.Add(rec)
	return f
}

// delegate makes a run in a new answer of its parent, also in the same answer.
func (f *forest) delegate(parent, run, agentName string) *forest {
	f.runs[parent].step++
	return f.also(parent, run, agentName)
}

func (f *forest) also(parent, run, agentName string) *forest {
	rec := agent.CallRecord{Tool: agent.DelegateTool, Args: run, Shape: agentName, Delegation: &agent.Delegation{Agent: agentName}}
	if f.same {
		rec.Args = agentName
	}
	f.open[run] = f.judge(parent, rec)
	f.add(agent.TreeRecord{RunID: run, Agent: agentName, ParentRunID: parent, ParentStep: f.runs[parent].step})
	return f
}

// end gives the answer of a run to its parent; one that begins with "no such" is an error.
func (f *forest) end(run, answer string) *forest {
	c := &f.calls[f.open[run]]
	c.Result, c.Failed, c.Succeeded = answer, strings.HasPrefix(answer, "no such"), !strings.HasPrefix(answer, "no such")
	d := &agent.Delegation{Agent: c.Delegation.Agent, Sketch: fingerprint.Sketch(strings.ToLower(answer))}
	if !c.Failed {
		d.RunID = run
	}
	d.Changed = slices.ContainsFunc(f.calls, func(c agent.TreeRecord) bool { return c.RunID == run && c.Acts && c.Succeeded })
	if d.Changed {
		c.Result += run
	}
	c.Delegation = d
	f.runs[c.RunID].trace.Add(c.CallRecord)
	return f
}

// expect compares what was said of the tree, up to the first pause.
func (f *forest) expect(t *testing.T, want ...string) {
	t.Helper()
	got := slices.Clone(f.said)
	if i := slices.IndexFunc(got, func(s string) bool { return !strings.HasPrefix(s, "warning") }); i >= 0 {
		got = got[:i+1]
	}
	if !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}
