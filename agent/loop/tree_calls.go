package loop

import (
	"time"

	"fusebox/agent"
)

// treeCalls are what a run's breakers know of the other runs of its tree. They are read once
// for each answer of a run that is not alone.
type treeCalls struct {
	// handedOver says that the run has made runs itself.
	handedOver bool
	step       int // of the answer for which they were read
	others     []agent.TreeCall
	records    map[agent.CallID]agent.CallRecord // of calls that have ended
	// parentStep is the step of the answer that made the run, 0 where it is not known.
	parentStep int
}

// inTree reports whether the run has others above or below it.
func (b *breakers) inTree() bool { return b.run.Lineage.IsChild() || b.tree.handedOver }

// readTree reads what the other runs have done, for the newest answer. Where that fails the
// run is judged by itself.
func (b *breakers) readTree() {
	t := &b.tree
	if t.step == b.run.Steps {
		return
	}
	ctx, cancel := commitContext()
	defer cancel()
	calls, err := b.journal.TreeCalls(ctx, b.run.RootID(), agent.TreeReach)
	if err != nil {
		b.log.Warn("a run is judged without the others of its tree", "run_id", b.run.ID, "conversation_id", b.conv.ID, "error", err)
		return
	}
	t.step, t.others = b.run.Steps, calls[:0]
	for _, c := range calls {
		switch {
		case c.RunID == b.run.ID:
			t.parentStep = c.ParentStep
			continue
		case c.ID == b.run.Lineage.ParentCallID && c.RunID == b.run.Lineage.ParentRunID:
			t.parentStep = c.Step
		}
		t.others = append(t.others, c)
	}
}

// treeOf is the tree as it is before the call that is judged, in the order in which calls
// began; nil for a run that is alone.
func (b *breakers) treeOf(h *agent.History) *agent.Tree {
	if !b.inTree() {
		return nil
	}
	b.readTree()
	self := agent.TreeRecord{
		RunID: b.run.ID, Agent: b.run.Agent, ParentRunID: b.run.Lineage.ParentRunID, ParentStep: b.tree.parentStep,
	}
	all := make([]agent.TreeRecord, 0, len(b.tree.others)+len(h.Calls))
	others, latest := b.tree.others, time.Time{}
	for _, rec := range h.Calls {
		if at := began(b.calls.list[rec.N-1]); at.After(latest) {
			latest = at
		}
		for len(others) > 0 && !began(others[0].ToolCall).After(latest) {
			all, others = append(all, b.treeRecord(others[0])), others[1:]
		}
		mine := self
		mine.CallRecord = rec
		all = append(all, mine)
	}
	for _, c := range others {
		all = append(all, b.treeRecord(c))
	}
	return agent.NewTree(self, all)
}

// began is when a call was made, or was refused; zero for one that waits.
func began(c agent.ToolCall) time.Time {
	if c.StartedAt.IsZero() {
		return c.EndedAt
	}
	return c.StartedAt
}

// treeRecord is what the guards know of a call of another run. Only the beginning of long
// arguments and results is there, so their fingerprints are those that were stored.
func (b *breakers) treeRecord(c agent.TreeCall) agent.TreeRecord {
	id := agent.CallID{RunID: c.RunID, CallID: c.ID}
	rec, known := b.tree.records[id]
	if !known {
		spec, exists := b.tools.spec(c.Name)
		spec.Volatile = nil
		rec = agent.RecordOf(0, c.ToolCall, spec, exists)
		if len(spec.Identity) == 0 {
			rec.Args = c.ArgsHash
		}
		if c.State.Ended() {
			if b.tree.records == nil {
				b.tree.records = map[agent.CallID]agent.CallRecord{}
			}
			b.tree.records[id] = rec
		}
	}
	return agent.TreeRecord{CallRecord: rec, RunID: c.RunID, Agent: c.Agent, ParentRunID: c.ParentRunID, ParentStep: c.ParentStep}
}

// evidence shows a streak to a reviewer: its calls, or the text that repeats. Where the run is not
// alone it says of each call who made it; of a streak of many runs the newest calls are shown.
func (b *breakers) evidence(v agent.Verdict, others []agent.Verdict) agent.LoopEvidence {
	e := agent.LoopEvidence{
		Detector: v.Detector, Count: v.Count, Threshold: v.Threshold, Text: v.Excerpt, Rule: v.Rule,
		Also: []agent.AlsoTripped{}, Calls: []agent.EvidenceCall{},
	}
	for _, o := range others {
		e.Also = append(e.Also, agent.AlsoTripped{Detector: o.Detector, Count: o.Count, Message: o.Message})
	}
	together := b.inTree()
	if !together || v.Among == nil {
		for _, n := range v.Calls {
			if n < 1 || n > len(b.calls.list) {
				continue
			}
			shown := evidenceCall(n, b.calls.list[n-1])
			if together {
				shown.RunID, shown.Agent = b.run.ID, b.run.Agent
			}
			e.Calls = append(e.Calls, shown)
		}
		return e
	}
	for _, id := range v.Among[max(len(v.Among)-agent.MinHistory, 0):] {
		c, known := b.callOfTree(id)
		if !known {
			continue
		}
		shown := evidenceCall(len(e.Calls)+1, c.ToolCall)
		shown.RunID, shown.Agent = c.RunID, c.Agent
		e.Calls = append(e.Calls, shown)
	}
	return e
}

// callOfTree finds a call of the run, or of those that were read.
func (b *breakers) callOfTree(id agent.CallID) (agent.TreeCall, bool) {
	if id.RunID == b.run.ID {
		i := b.calls.index(id.CallID)
		if i < 0 {
			return agent.TreeCall{}, false
		}
		return agent.TreeCall{ToolCall: b.calls.list[i], Agent: b.run.Agent}, true
	}
	for _, c := range b.tree.others {
		if c.RunID == id.RunID && c.ID == id.CallID {
			return c, true
		}
	}
	return agent.TreeCall{}, false
}
