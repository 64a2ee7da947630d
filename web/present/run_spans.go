package present

import (
	"cmp"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/views/text"
	"fusebox/web/present/jsontext"
)

type runSpan struct {
	kind       string // model, tool, retry, wait, guard, note
	step       int
	label      string
	note       string
	state      string
	bad        bool
	start, end time.Time // equal for a moment
	usage      *agent.Usage
	cost       int64
	unpriced   bool
	href       string
}

// spanReader turns a run's events into spans. A span that is still open at
// the end (a crash, a wait that goes on) lasts until now.
type spanReader struct {
	text  *text.Printer
	spans []runSpan
	model map[int]int // by step: the index of its open model call
	wait  int         // index of the open wait, -1 for none
}

// RunSpans lists everything that took time or signalled trouble, by start.
func RunSpans(tr *text.Printer, run agent.Run, events []agent.Event, steps []agent.Step, calls []agent.ToolCall, now time.Time) []runSpan {
	r := spanReader{text: tr, model: map[int]int{}, wait: -1}
	for _, e := range events {
		r.read(e)
	}
	r.nameModels(steps)
	for _, c := range calls {
		r.call(c, now)
	}
	end := now
	if run.Status.Ended() {
		end = run.EndedAt
	}
	for i := range r.spans {
		if r.spans[i].end.IsZero() {
			r.spans[i].end = end
		}
	}
	slices.SortStableFunc(r.spans, func(a, b runSpan) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.step, b.step)) })
	return r.spans
}

func (r *spanReader) read(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.StepStart:
		r.closeWait(e.At, "") // for children, whose end resumes it
		r.closeModel(e, r.text.T("present.span.restarted"))
		r.model[e.Step] = r.open(e, runSpan{kind: "model", label: r.text.T("present.span.model")})
	case agent.StepFinish:
		r.finishModel(e, d)
	case agent.RetryEvent:
		s := runSpan{kind: "retry", note: r.text.Recorded(d.Message), label: r.text.T("present.span.busy")}
		if d.Attempt > 0 { // else the call has yet to be made
			r.closeModel(e, r.text.T("present.span.failed"))
			s.bad, s.label = true, r.text.T("present.span.retry", d.Attempt, d.MaxAttempts)
		}
		i := r.open(e, s)
		r.spans[i].end = e.At.Add(time.Duration(d.DelayMS) * time.Millisecond)
	case agent.RunPaused:
		r.wait = r.open(e, runSpan{kind: "wait", label: r.text.T("present.span.wait")})
		if len(d.ApprovalIDs) == 0 && len(d.Children) > 0 {
			r.spans[r.wait].label = r.text.T("present.span.wait_runs")
		}
		if len(d.ApprovalIDs) > 0 {
			r.spans[r.wait].href = "/approvals/" + d.ApprovalIDs[0]
		}
	case agent.RunResumed:
		r.closeWait(e.At, r.text.T("present.span.decided", d.By))
	case agent.Finish:
		r.closeModel(e, r.text.T("present.span.cut"))
		r.closeWait(e.At, "")
	default:
		r.moment(e)
	}
}

// moment reads the events that take no time.
func (r *spanReader) moment(e agent.Event) {
	s := runSpan{kind: "note", end: e.At}
	switch d := e.Data.(type) {
	case agent.GuardEvent:
		seen := DetectorName(r.text, d.Detector)
		did, _ := levelWords(r.text, agent.VerdictRecord{Level: d.Level})
		s.kind, s.label, s.note, s.bad = "guard", r.text.T("present.span.guard", seen, did), r.text.Recorded(d.Message), d.Level != agent.Warn.String()
	case agent.FallbackEvent:
		s.label, s.note = r.text.T("present.span.another_way"), fallbackReason(r.text, d.Reason)
	case agent.ErrorEvent:
		s.label, s.note, s.bad = r.text.T("present.span.error"), r.text.Recorded(d.Message), true
	case agent.Notice:
		s.label = r.text.Recorded(d.Message)
	default:
		return
	}
	r.open(e, s)
}

func (r *spanReader) open(e agent.Event, s runSpan) int {
	s.step, s.start = e.Step, e.At
	r.spans = append(r.spans, s)
	return len(r.spans) - 1
}

// closeModel ends the open call of a step that did not come to its finish.
func (r *spanReader) closeModel(e agent.Event, state string) {
	if i, ok := r.model[e.Step]; ok {
		r.spans[i].end, r.spans[i].state, r.spans[i].bad = e.At, state, true
		delete(r.model, e.Step)
	}
}

func (r *spanReader) finishModel(e agent.Event, d agent.StepFinish) {
	i, ok := r.model[e.Step]
	if !ok {
		i = r.open(e, runSpan{kind: "model", label: r.text.T("present.span.model")})
	}
	s := &r.spans[i]
	s.end, s.state, s.usage, s.cost = e.At, finishLabel(r.text, d.FinishReason), &d.Usage, d.CostMicros
	s.unpriced = d.Unpriced
	delete(r.model, e.Step)
}

func (r *spanReader) closeWait(at time.Time, state string) {
	if r.wait >= 0 {
		r.spans[r.wait].end, r.spans[r.wait].state = at, state
		r.wait = -1
	}
}

// nameModels adds the model of each call, as the ledger has it.
func (r *spanReader) nameModels(steps []agent.Step) {
	for i := range r.spans {
		s := &r.spans[i]
		if s.kind != "model" {
			continue
		}
		for _, step := range steps {
			if step.N == s.step {
				s.note, s.unpriced = step.Model, s.unpriced || step.Unpriced
			}
		}
	}
}

// call adds a tool call. One that was never executed is a moment at its end,
// or at the end of the model call that asked for it.
func (r *spanReader) call(c agent.ToolCall, now time.Time) {
	s := runSpan{
		kind: "tool", step: c.Step, label: c.Name, note: jsontext.Short(c.Args), state: callState(r.text, c),
		bad: c.ErrorType != "" || c.Blocked || c.State == agent.CallUncertain, start: c.StartedAt, end: c.EndedAt,
	}
	switch {
	case s.start.IsZero() && !s.end.IsZero():
		s.start = s.end
	case s.start.IsZero():
		s.start = now
		for _, asked := range r.spans {
			if asked.kind == "model" && asked.step == c.Step && !asked.end.IsZero() {
				s.start = asked.end
			}
		}
		s.end = s.start
	}
	r.spans = append(r.spans, s)
}

func callState(tr *text.Printer, c agent.ToolCall) string {
	if c.Blocked {
		return tr.T("present.span.blocked")
	}
	return toolLabel(tr, c.State, c.ErrorType)
}

// finishLabel says in words why a model call ended; an unknown reason is shown
// as the provider wrote it.
func finishLabel(tr *text.Printer, reason string) string {
	switch reason {
	case "stop":
		return tr.T("present.span.answered")
	case "tool_calls":
		return tr.T("present.span.tools")
	case "length":
		return tr.T("present.span.length")
	default:
		return reason
	}
}
