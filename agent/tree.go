package agent

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/fingerprint"
)

// TreeReach is how many of the newest calls of a tree of runs the breakers look at.
const TreeReach = 200

// TreeCall is a call of a run of a tree, with where that run stands in it.
type TreeCall struct {
	ToolCall
	// Agent is the definition that the run works by, "" for none.
	Agent string
	// ParentRunID is the run that made it, "" for the root, and ParentStep the step of the
	// answer that did.
	ParentRunID string
	ParentStep  int
}

// CallID names a call of any run.
type CallID struct{ RunID, CallID string }

// TreeRecord is what the guards know of a call of a tree.
type TreeRecord struct {
	CallRecord
	RunID, Agent string
	ParentRunID  string
	ParentStep   int
	// News marks a call with what its agent did not know: no run of that agent that came
	// before its run, and not the run itself, made it with this result.
	News bool
}

// ID names the call of a record.
func (c *TreeRecord) ID() CallID { return CallID{c.RunID, c.CallID} }

// Delegation is what the guards know of a task that a call has handed over.
type Delegation struct {
	Agent string // or the workflow in its place
	// RunID is the run that the call has made, "" while there is no result, and for none.
	RunID string
	// Sketch is what fingerprint.Likeness compares of its answer.
	Sketch string
	// Changed says that the run, or one below it, may have changed something.
	Changed bool
}

func delegationOf(c ToolCall) *Delegation {
	var args struct {
		Agent    string `json:"agent"`
		Workflow string `json:"workflow"`
	}
	var result DelegateResult
	_ = json.Unmarshal([]byte(c.Args), &args) // what cannot be read names no agent
	if from := strings.IndexByte(c.Result, '{'); from >= 0 {
		_ = json.Unmarshal([]byte(c.Result[from:]), &result) // nor a run
	}
	return &Delegation{
		Agent: cmp.Or(args.Agent, args.Workflow), RunID: result.RunID, Sketch: fingerprint.Sketch(strings.ToLower(result.Answer)), Changed: len(result.Effects) > 0,
	}
}

// Tells reports whether calls of a tool only pass on what a run knows: to another run, to
// people, or from a run that has ended.
func Tells(tool string) bool {
	return tool == DelegateTool || tool == ReadResultTool || tool == EmitValueTool || tool == UpdatePlanTool
}

// Tree is what the runs of a tree have done, for the guards of one of them.
type Tree struct {
	// RunID is the run that is judged, and Agent the definition that it works by.
	RunID, Agent string
	// Calls are the newest calls of the tree, those of the run included, oldest first.
	Calls []TreeRecord
	runs  map[string]*treeRun
}

type treeRun struct {
	agent, parent string
	step          int
	works, news   bool
}

// NewTree makes a tree of calls in the order in which they began, for the guards of self,
// of which only the fields about its run matter. It takes the calls over.
func NewTree(self TreeRecord, calls []TreeRecord) *Tree {
	t := &Tree{RunID: self.RunID, Agent: self.Agent, Calls: calls, runs: map[string]*treeRun{}}
	t.run(&self)
	for i := range calls {
		t.run(&calls[i]) // whoever stands above must be known
	}
	made, known := map[callKey]bool{}, map[finding][]string{}
	for i := range calls {
		c := &calls[i]
		key, deed := c.deed()
		c.Progress = deed && !made[key] && !Tells(c.Tool)
		made[key] = made[key] || deed
		run := t.runs[c.RunID]
		if Tells(c.Tool) {
			continue
		}
		f := findingOf(c)
		c.News = c.Result != "" && !slices.ContainsFunc(known[f], func(by string) bool { return !t.Beside(by, c.RunID) })
		if c.News {
			known[f] = append(known[f], c.RunID)
		}
		run.works, run.news = true, run.news || c.News
	}
	return t
}

func (t *Tree) run(c *TreeRecord) {
	if t.runs[c.RunID] == nil {
		t.runs[c.RunID] = &treeRun{agent: c.Agent, parent: c.ParentRunID, step: c.ParentStep}
	}
}

// finding is what a call of an agent has found out: its result, or how calls of its tool fail.
type finding struct {
	agent string
	outcomeKey
}

func findingOf(c *TreeRecord) finding {
	if c.Failed && c.Words != "" {
		return finding{c.Agent, outcomeKey{callKey{c.Tool, ""}, c.Words}}
	}
	return finding{c.Agent, outcomeKey{callKey{c.Tool, c.Args}, c.Result}}
}

// line is a run and those above it, as far as they are known.
func (t *Tree) line(runID string) []string {
	line := make([]string, 0, MaxDepth+1)
	for r := t.runs[runID]; len(line) <= MaxDepth; r = t.runs[runID] {
		line = append(line, runID)
		if r == nil || r.parent == "" {
			break
		}
		runID = r.parent
	}
	return line
}

// Beside reports whether two runs work at the same time: one answer has made them, or runs
// above them. So it is taken to be where that is not known.
func (t *Tree) Beside(a, b string) bool {
	if a == b {
		return false
	}
	above, over := t.line(a), t.line(b)
	for i, common := range above {
		j := slices.Index(over, common)
		switch {
		case j < 0:
			continue
		case i == 0 || j == 0:
			return false
		}
		one, other := t.runs[above[i-1]].step, t.runs[over[j-1]].step
		return one == other || one == 0 || other == 0
	}
	return true
}

// Above reports whether a run stands above the one that is judged.
func (t *Tree) Above(runID string) bool { return slices.Contains(t.line(t.RunID)[1:], runID) }

// Idle reports whether a run has only made calls that runs of its agent had made before it,
// with the same results.
func (t *Tree) Idle(runID string) bool {
	r := t.runs[runID]
	return r != nil && r.works && !r.news
}

// Below reports whether a run, or any below it, has made calls, and whether one was news.
func (t *Tree) Below(runID string) (works, news bool) {
	for id, r := range t.runs {
		if slices.Contains(t.line(id), runID) {
			works, news = works || r.works, news || r.news
		}
	}
	return works, news
}
