package loop

import (
	"cmp"
	"slices"

	"fusebox/agent"
)

// breakers are the detectors of this run, with the settings in effect.
type breakers struct {
	*rows
	settings agent.GuardSettings
	list     []agent.Guard
	// records are those of calls that have ended, by the call's id.
	records map[string]agent.CallRecord
	past    past
	earlier *[]string // see earlierAnswers; nil until it is asked for
	tree    treeCalls
}

// assess asks all guards about the run, or about the call that is to be
// executed next, and notes in r how far each streak has come.
func (b *breakers) assess(next *agent.ToolCall, r *agent.Run) agent.Assessment {
	return agent.Assess(b.list, b.settings.Off, &r.State.Trips, b.history(next))
}

// record is RecordOf for the run's i-th call. Those of calls that have ended
// come from a cache: fingerprints of long results cost more than all guards
// together.
func (b *breakers) record(i int) agent.CallRecord {
	c := b.calls.list[i]
	rec, ok := b.records[c.ID]
	if !ok {
		spec, known := b.tools.spec(c.Name)
		rec = agent.RecordOf(i+1, c, spec, known)
	}
	if c.State.Ended() {
		b.records[c.ID] = rec
		b.tree.handedOver = b.tree.handedOver || rec.Delegation != nil
	}
	rec.Polling = rec.Polling || slices.Contains(b.run.State.Polling, agent.CallRef{Tool: rec.Tool, Args: rec.Args})
	return rec
}

// history is what the guards judge before next is executed: the run's calls
// before it, and what the model said. Where next is nil the run itself is judged.
func (b *breakers) history(next *agent.ToolCall) *agent.History {
	p := b.settled()
	if next != nil && b.calls.index(next.ID) < p.calls {
		p = newPast(p.under) // it has ended since
	}
	t, i := p.trace.Fork(), p.calls
	for _, m := range b.transcript.branch[p.messages:] {
		if !b.saidHere(m) {
			continue
		}
		t.Say(m.Content)
		for ; b.calledBy(m, i); i++ {
			if next != nil && b.calls.list[i].ID == next.ID {
				rec := b.record(i)
				return b.completed(t.History(&rec, b.settings))
			}
			b.add(t, i)
		}
	}
	return b.completed(t.History(nil, b.settings))
}

// completed adds what the run itself knows.
func (b *breakers) completed(h *agent.History) *agent.History {
	h.Steps, h.MaxSteps = b.run.Steps, b.run.Limits.Steps
	h.Active, h.MaxDuration = b.with(b.run.Status).Active, b.run.Limits.Duration()
	if h.Next == nil {
		if len(b.calls.list) == 0 {
			before := b.earlierAnswers()
			h.Answers, h.EarlierAnswers = slices.Concat(before, h.Answers), len(before)
		}
		return h
	}
	rule := b.tools.config.Rule(h.Next.Tool)
	h.Warning, h.Critical = rule.Warning, rule.Critical
	h.Allowed = b.allowed(agent.CallRef{Tool: h.Next.Tool, Args: h.Next.Args})
	h.Tree = b.treeOf(h)
	return h
}

// tripped is the end that a breaker makes of the run.
func (b *breakers) tripped(a agent.Assessment, c *agent.ToolCall) *ending {
	v := a.Worst
	return &ending{
		status: agent.StatusStopped, reason: cmp.Or(v.Reason, agent.StopLoop), because: v.Message, verdicts: b.trace(a, c),
		events: []agent.EventData{guardEvent(v, b.evidence(v, a.Others))},
	}
}

// trace is everything in an assessment, as it is kept.
func (b *breakers) trace(a agent.Assessment, c *agent.ToolCall) (trace []agent.VerdictRecord) {
	if a.Worst.Level > agent.Pass {
		trace = append(trace, b.verdictRecord(a.Worst, c, false))
	}
	for _, v := range a.Others {
		trace = append(trace, b.verdictRecord(v, c, false))
	}
	for _, v := range a.Muted {
		trace = append(trace, b.verdictRecord(v, c, true))
	}
	for _, v := range a.Spared {
		v.Message = v.Spared
		trace = append(trace, b.verdictRecord(v, c, false))
	}
	return trace
}

func (b *breakers) verdictRecord(v agent.Verdict, c *agent.ToolCall, off bool) agent.VerdictRecord {
	r := agent.VerdictRecord{
		ID: b.newID(), RunID: b.run.ID, ConversationID: b.conv.ID, Step: b.run.Steps, Detector: v.Detector,
		Level: v.Level.String(), Off: off, Count: v.Count, Threshold: v.Threshold, Message: v.Message,
		Calls: v.Calls, At: b.now(),
	}
	if c != nil {
		r.CallID, r.Tool = c.ID, c.Name
	}
	for _, n := range v.Calls {
		if n >= 1 && n <= len(b.calls.list) {
			r.Tokens += b.calls.list[n-1].Tokens
			r.CostMicros += b.calls.list[n-1].CostMicros
		}
	}
	if v.Level >= agent.Pause {
		r.SavedTokens, r.SavedMicros = saved(b.run)
	}
	return r
}

// saved estimates what a run would still have taken: what its steps took on average, times
// the steps that its limit leaves, and no more than its other limits leave.
func saved(r agent.Run) (tokens, micros int64) {
	if r.Steps == 0 {
		return 0, 0
	}
	left := float64(max(r.Limits.Steps-r.Steps, 0)) / float64(r.Steps)
	used := r.Usage.Total()
	if r.Limits.Tokens > 0 && used > 0 {
		left = min(left, float64(max(r.Limits.Tokens-used, 0))/float64(used))
	}
	if r.Limits.CostMicros > 0 && r.CostMicros > 0 {
		left = min(left, float64(max(r.Limits.CostMicros-r.CostMicros, 0))/float64(r.CostMicros))
	}
	return int64(float64(used) * left), int64(float64(r.CostMicros) * left)
}

// maxEvidenceText bounds each argument and result on an approval. The run's page has them in full.
const maxEvidenceText = 2048

func evidenceCall(n int, c agent.ToolCall) agent.EvidenceCall {
	return agent.EvidenceCall{
		N: n, ToolCallID: c.ID, ToolName: c.Name, Args: agent.RawArgs(clip(c.Args)), Result: clip(agent.OwnResult(c.Result)), Images: c.Images,
		Blocked: c.Blocked || !c.State.Ended(), Tokens: c.Tokens, CostMicros: c.CostMicros, At: c.StartedAt,
	}
}

func clip(s string) string {
	if len(s) <= maxEvidenceText {
		return s
	}
	return string([]rune(s[:maxEvidenceText])) + "…"
}

func guardEvent(v agent.Verdict, e agent.LoopEvidence) agent.GuardEvent {
	return agent.GuardEvent{
		Level: v.Level.String(), Detector: v.Detector, Count: v.Count, Message: v.Message, Evidence: agent.MustJSON(e),
	}
}

// allowed is by how much a person has moved the thresholds of a call.
func (b *breakers) allowed(ref agent.CallRef) int {
	n := 0
	for _, a := range b.run.State.Allowances {
		if a.CallRef == ref {
			n += a.N
		}
	}
	return n
}

// allowMore moves the thresholds of the calls of an approval, and lets their streaks
// start over: what a person has allowed ends with a new approval.
func (b *breakers) allowMore(r *agent.Run, a agent.Approval) {
	ev, err := a.LoopEvidence()
	if err != nil {
		b.log.Error("evidence of a loop approval does not decode", "approval_id", a.ID, "error", err)
	}
	var refs []agent.CallRef
	for _, c := range append(ev.Calls, agent.EvidenceCall{ToolCallID: a.ToolCallID}) {
		i := b.own(c)
		if i < 0 {
			continue
		}
		rec := b.record(i)
		if ref := (agent.CallRef{Tool: rec.Tool, Args: rec.Args}); !slices.Contains(refs, ref) {
			refs = append(refs, ref)
			r.State.Allowances = append(r.State.Allowances, agent.Allowance{CallRef: ref, N: cmp.Or(a.N, agent.DefaultAllowMore)})
		}
	}
	blocked := b.calls.index(a.ToolCallID) + 1
	r.State.Trips.Forget(func(t agent.Trip) bool { return t.Last == blocked })
}

// own is the index of a call of evidence among those of the run, -1 where it is not one of them.
func (b *breakers) own(c agent.EvidenceCall) int {
	if c.RunID != "" && c.RunID != b.run.ID {
		return -1
	}
	return b.calls.index(c.ToolCallID)
}

// oneCall are the detectors whose streaks are one call each, named by
// CallRef.Key; the streaks of oneShape are named by the call's shape.
var oneCall = []string{"generic_repeat", "no_progress", "tree_repeat"}

const oneShape = "similar_repeat"

// allowStreak notes that a person has seen a streak and allowed it: detectors
// that see the same calls later ask no second time, until the streak comes back
// or meets the breaker.
func (b *breakers) allowStreak(r *agent.Run, a agent.Approval) {
	ev, err := a.LoopEvidence()
	if a.ToolCallID == "" || err != nil {
		return // an approval about the run itself is about no streak of calls
	}
	last := b.calls.index(a.ToolCallID) + 1
	for _, c := range ev.Calls {
		i := b.own(c)
		if i < 0 {
			continue
		}
		rec := b.record(i)
		for _, detector := range oneCall {
			r.State.Trips.Reached(detector, agent.CallRef{Tool: rec.Tool, Args: rec.Args}.Key(), last)
		}
		r.State.Trips.Reached(oneShape, agent.CallRef{Tool: rec.Tool, Args: rec.Shape}.Key(), last)
	}
}
