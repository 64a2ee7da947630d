package telemetry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"fusebox/agent"
)

// The operations, as the conventions for generative AI name them.
const (
	opAgent = "invoke_agent"
	opChat  = "chat"
	opTool  = "execute_tool"
)

// agentName is what is invoked where a run works by no agent's definition.
const agentName = "fusebox"

// tracing is a run on its way to become spans.
type tracing struct {
	past
	tracer     *Tracer
	start, end time.Time
	log        map[int]*logged
	spans      []*otlp.Span
}

// spansOf makes the spans of a run that has ended: the run, and under it each
// call of a model, each tool that was executed and each wait for a person, with
// their true times. They contain no one's text.
func (t *Tracer) spansOf(p past) []*otlp.Span {
	x := &tracing{past: p, tracer: t, start: firstTime(p.run.StartedAt, p.run.CreatedAt), end: p.run.EndedAt, log: readLog(p)}
	x.root()
	for _, s := range p.steps {
		x.step(s)
	}
	x.brokenSteps()
	for _, c := range p.calls {
		if !c.StartedAt.IsZero() {
			x.call(c)
		}
	}
	for _, a := range p.cards {
		x.wait(a)
	}
	return x.spans
}

func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// span adds a span, within the run's own time.
func (x *tracing) span(part, name string, kind otlp.Span_SpanKind, start, end time.Time, a attributes) *otlp.Span {
	start = later(start, x.start)
	end = later(earlier(firstTime(end, x.end), x.end), start)
	s := &otlp.Span{
		TraceId: traceID(x.run.RootID()), SpanId: spanID(x.run.ID, part), Name: name, Kind: kind,
		StartTimeUnixNano: nanos(start), EndTimeUnixNano: nanos(end), Attributes: a,
	}
	switch from := x.run.Lineage; {
	case part != rootPart:
		s.ParentSpanId = spanID(x.run.ID, rootPart)
	case from.IsChild():
		s.ParentSpanId = spanID(from.ParentRunID, toolPart(from.ParentCallID))
	}
	x.spans = append(x.spans, s)
	return s
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

const rootPart = "run"

func toolPart(callID string) string { return "tool/" + callID }

func (x *tracing) root() {
	var a attributes
	a.text("gen_ai.operation.name", opAgent)
	name := cmp.Or(x.run.Agent, agentName)
	a.text("gen_ai.agent.name", name)
	a.text("gen_ai.provider.name", x.tracer.provider(x.run.Model))
	a.text("gen_ai.request.model", x.run.Model)
	a.text("gen_ai.conversation.id", x.run.ConversationID)
	a.number("gen_ai.usage.input_tokens", x.run.Usage.InputTokens)
	a.number("gen_ai.usage.output_tokens", x.run.Usage.OutputTokens)
	a.text("fusebox.run.id", x.run.ID)
	a.text("fusebox.run.status", string(x.run.Status))
	a.text("fusebox.stop_reason", string(x.run.StopReason))
	a.number("fusebox.cost_micro_usd", x.run.CostMicros)
	s := x.span(rootPart, opAgent+" "+name, otlp.Span_SPAN_KIND_INTERNAL, x.start, x.end, a)
	if x.run.Status == agent.StatusFailed || x.run.Status == agent.StatusStopped {
		failed(s, string(x.run.StopReason))
	}
}

// step adds the call of a model that has a line in the ledger.
func (x *tracing) step(s agent.Step) {
	l := logged{asked: s.Model}
	if found, ok := x.log[s.N]; ok && s.Kind == agent.StepAnswer {
		l = *found
	}
	a := x.chat(l.asked, s.N)
	a.text("gen_ai.response.model", s.Model)
	a.list("gen_ai.response.finish_reasons", s.FinishReason)
	a.number("gen_ai.usage.input_tokens", s.Usage.InputTokens)
	a.number("gen_ai.usage.output_tokens", s.Usage.OutputTokens)
	a.number("fusebox.cost_micro_usd", s.CostMicros)
	a.text("fusebox.step.kind", string(s.Kind))
	start := s.StartedAt
	if !start.Before(s.EndedAt) { // cut off: its line was written at its end
		start = firstTime(l.start, start)
	}
	span := x.span(stepPart(s.N, s.Kind), opChat+" "+clean(l.asked), otlp.Span_SPAN_KIND_CLIENT, start, s.EndedAt, a)
	span.Events = l.tries
}

func stepPart(n int, kind agent.StepKind) string { return fmt.Sprintf("step/%d/%s", n, kind) }

func (x *tracing) chat(model string, n int) (a attributes) {
	a.text("gen_ai.operation.name", opChat)
	a.text("gen_ai.provider.name", x.tracer.provider(model))
	a.text("gen_ai.request.model", model)
	a.text("gen_ai.conversation.id", x.run.ConversationID)
	a.text("fusebox.run.id", x.run.ID)
	a.number("fusebox.step", int64(n))
	return a
}

// brokenSteps adds the steps that never came to an answer: they cost nothing
// that is known, so the ledger has no line about them.
func (x *tracing) brokenSteps() {
	for _, s := range x.steps {
		if s.Kind == agent.StepAnswer {
			delete(x.log, s.N)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(x.log)) {
		l := x.log[n]
		span := x.span(stepPart(n, agent.StepAnswer), opChat+" "+clean(l.asked), otlp.Span_SPAN_KIND_CLIENT,
			l.start, x.end, x.chat(l.asked, n))
		span.Events = l.tries
		failed(span, string(x.run.StopReason))
	}
}

// call adds a tool that was executed. Names that models make up are not reported.
func (x *tracing) call(c agent.ToolCall) {
	name := c.Name
	if !x.tracer.knowsTool(name) {
		name = other
	}
	var a attributes
	a.text("gen_ai.operation.name", opTool)
	a.text("gen_ai.tool.name", name)
	a.text("gen_ai.tool.call.id", c.ID)
	a.text("gen_ai.tool.type", "function")
	a.text("fusebox.run.id", x.run.ID)
	a.text("fusebox.tool.state", string(c.State))
	span := x.span(toolPart(c.ID), opTool+" "+name, otlp.Span_SPAN_KIND_INTERNAL, c.StartedAt, c.EndedAt, a)
	if c.ErrorType != "" {
		failed(span, string(c.ErrorType))
	}
}

// wait adds the time that an approval waited for a person.
func (x *tracing) wait(c agent.Approval) {
	var a attributes
	a.text("fusebox.approval.id", c.ID)
	a.text("fusebox.approval.kind", string(c.Kind))
	a.text("fusebox.approval.risk", string(c.Risk))
	a.text("fusebox.approval.decision", cmp.Or(string(c.Decision), string(c.Status)))
	if x.tracer.knowsTool(c.ToolName) {
		a.text("gen_ai.tool.name", c.ToolName)
	}
	a.text("gen_ai.tool.call.id", c.ToolCallID)
	a.text("fusebox.run.id", x.run.ID)
	x.span("wait/"+c.ID, "wait approval "+string(c.Kind), otlp.Span_SPAN_KIND_INTERNAL, c.RequestedAt, c.DecidedAt, a)
}
