package present

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestFragmentsSpeakTheReadersLanguage: what a socket sends is rendered after the
// request, and still in the language of the page.
func TestFragmentsSpeakTheReadersLanguage(t *testing.T) {
	t.Parallel()
	reader := &text.Printer{}
	var spoken *text.Printer
	RenderToString(reader, templ.ComponentFunc(func(ctx context.Context, _ io.Writer) error {
		spoken = text.In(ctx)
		return nil
	}))
	if spoken != reader {
		t.Error("a fragment is not in its reader's language")
	}
}

// browser is a document that fragments are applied to, as the page's script does it.
type browser struct {
	t    *testing.T
	root *html.Node
}

func open(t *testing.T, p *Presenter) *browser {
	t.Helper()
	return &browser{t: t, root: parse(t, shown(t, p))}
}

// shown is the page of a presenter's whole state.
func shown(t *testing.T, p *Presenter) string {
	t.Helper()
	var b strings.Builder
	render := func(c templ.Component) {
		if err := c.Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString(`<div id="transcript">`)
	for _, it := range p.items {
		render(it.View())
	}
	b.WriteString(`</div>`)
	render(p.Fuses())
	render(p.RunState())
	return b.String()
}

func parse(t *testing.T, src string) *html.Node {
	t.Helper()
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(src), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root
}

// fragments are the elements of fragments that were parsed, by their text: the
// same come up again and again. They are never changed.
var fragments sync.Map

// fragment returns what it gives to a body: a copy for the page to change.
func fragment(t *testing.T, src string) *html.Node {
	t.Helper()
	body, known := fragments.Load(src)
	if !known {
		body, _ = fragments.LoadOrStore(src, parse(t, src))
	}
	return copied(body.(*html.Node))
}

func copied(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	for child := range n.ChildNodes() {
		c.AppendChild(copied(child))
	}
	return c
}

func (b *browser) find(id string) *html.Node {
	for n := range b.root.Descendants() {
		if n.Type == html.ElementNode && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "id" && a.Val == id }) {
			return n
		}
	}
	return nil
}

func (b *browser) apply(fragments []Fragment) {
	b.t.Helper()
	for _, f := range fragments {
		target := b.find(f.Target)
		switch f.Op {
		case opText:
			if target == nil {
				b.t.Fatalf("text for %s, which is not there", f.Target)
			}
			target.AppendChild(&html.Node{Type: html.TextNode, Data: f.HTML})
		case opSay: // read out, not shown
		case OpRemove:
			if target != nil {
				target.Parent.RemoveChild(target)
			}
		case opJoin:
			if b.find(f.HTML) != nil && target != nil {
				target.Parent.RemoveChild(target)
			}
		case OpReplace:
			if target != nil {
				b.put(f, target)
			}
		case OpAppend:
			b.append(f, target)
		default:
			b.t.Fatalf("op %q", f.Op)
		}
	}
}

func (b *browser) put(f Fragment, old *html.Node) {
	n := b.element(f)
	old.Parent.InsertBefore(n, old)
	old.Parent.RemoveChild(old)
}

func (b *browser) append(f Fragment, target *html.Node) {
	b.t.Helper()
	if target == nil {
		b.t.Fatalf("append to %s, which is not there", f.Target)
	}
	n := b.element(f)
	for _, a := range n.Attr {
		if old := b.find(a.Val); a.Key == "id" && old != nil {
			b.put(f, old)
			return
		}
	}
	target.AppendChild(n)
}

func (b *browser) element(f Fragment) *html.Node {
	b.t.Helper()
	body := fragment(b.t, f.HTML)
	n := body.FirstChild
	if n == nil || n.NextSibling != nil || n.Type != html.ElementNode {
		b.t.Fatalf("a fragment is one element, got %q", f.HTML)
	}
	body.RemoveChild(n)
	return n
}

func (b *browser) String() string { return markup(b.t, b.root) }

// markup writes a document with one element or text a line, so that
// differences can be read.
func markup(t *testing.T, root *html.Node) string {
	t.Helper()
	var b strings.Builder
	for c := range root.ChildNodes() {
		if err := html.Render(&b, c); err != nil {
			t.Fatal(err)
		}
	}
	return strings.ReplaceAll(b.String(), "<", "\n<")
}

func fold(conv agent.Conversation, may bool) *Presenter {
	return NewFold(text.In(context.Background()), conv, true, func(agent.Approval) bool { return may })
}

// script builds a log with rising seq and time.
type script struct {
	events []agent.Event
	at     time.Time
}

func newScript() *script {
	return &script{at: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)}
}

func (s *script) add(run string, step int, data ...agent.EventData) {
	for _, d := range data {
		s.at = s.at.Add(300 * time.Millisecond)
		s.events = append(s.events, agent.Event{Seq: int64(len(s.events) + 1), At: s.at, RunID: run, Step: step, Data: d})
	}
}

func (s *script) said(run, id, text string) {
	s.add(run, 0, agent.MessageEvent{Message: agent.Message{ID: id, RunID: run, Role: agent.FromUser, Content: text, CreatedAt: s.at}})
}

// stream adds a text in pieces of n bytes.
func (s *script) stream(run string, step int, id, text string, n int) {
	for text != "" {
		k := min(n, len(text))
		s.add(run, step, agent.TextDelta{ID: id, Delta: text[:k]})
		text = text[k:]
	}
}

func answered(id, text string, calls ...agent.CallRequest) agent.MessageEvent {
	return agent.MessageEvent{Message: agent.Message{ID: id, Role: agent.FromAssistant, Content: text, ToolCalls: calls}}
}

// fullScript is a log with everything that can happen in it.
func fullScript() *script {
	s := newScript()
	limits := agent.Limits{Steps: 50, DurationMS: 600_000, Tokens: 200_000, CostMicros: 1_000_000}
	used := agent.StepFinish{Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 4000, OutputTokens: 500}}, CostMicros: 12_345}

	s.said("r1", "u1", "What is the weather? <b>&\nSecond line")
	s.add("r1", 0, agent.RunStart{Model: "demo", Limits: limits})
	s.add("r1", 1, agent.StepStart{MessageID: "m1"}, agent.ReasoningDelta{ID: "m1", Delta: "I should "},
		agent.ReasoningDelta{ID: "m1", Delta: "look it up."})
	s.stream("r1", 1, "m1", "Let me look.\n\n- a\n- b\n", 5)
	s.add("r1", 1, agent.RetryEvent{Attempt: 1, MaxAttempts: 10, DelayMS: 500, Status: 429, Message: "Too many requests"},
		agent.MessageReset{ID: "m1"},
		agent.RetryEvent{Attempt: 2, MaxAttempts: 10, DelayMS: 1000, Status: 429, Message: "Too many requests"},
		agent.FallbackEvent{Reason: "stream-cut", Attempt: 1},
		agent.ReasoningDelta{ID: "m1", Delta: "Again, "}, agent.ReasoningDelta{ID: "m1", Delta: "from the start."})
	s.stream("r1", 1, "m1", sample, 7)
	args := `{"city":"Guangzhou"}`
	s.add("r1", 1, agent.ToolCallStart{ToolCallID: "c 1\"", ToolName: "get_weather"},
		agent.ToolCallDelta{ToolCallID: "c 1\"", Delta: args[:8]}, agent.ToolCallDelta{ToolCallID: "c 1\"", Delta: args[8:]},
		agent.ToolCallStart{ToolCallID: "c2", ToolName: "run_shell"}, agent.ToolCallDelta{ToolCallID: "c2", Delta: `{"command":"ls"}`})
	m1 := answered("m1", sample, agent.CallRequest{ID: "c 1\"", Name: "get_weather", Arguments: args},
		agent.CallRequest{ID: "c2", Name: "run_shell", Arguments: `{"command":"ls"}`})
	m1.Message.Reasoning = "Again, from the start."
	s.add("r1", 1, m1, used, agent.BudgetEvent{Scope: "run", UsedTokens: 4500, LimitTokens: 200_000, UsedMicros: 12_345, LimitMicros: 1_000_000},
		agent.ToolCallStateEvent{ToolCallID: "c 1\"", State: agent.CallValidating}, agent.ToolCallStateEvent{ToolCallID: "c2", State: agent.CallValidating},
		agent.ToolCallStateEvent{ToolCallID: "c 1\"", State: agent.CallScheduled}, agent.ToolCallStateEvent{ToolCallID: "c2", State: agent.CallAwaiting},
		agent.ApprovalRequestedEvent{ApprovalID: "a1", Kind: agent.KindTool, ToolCallID: "c2", Risk: agent.RiskHigh, Message: "run_shell runs programs.",
			ArgsHash: "abc", Generation: 1, Evidence: json.RawMessage(`{"effect":"exec","rule":"mode default","command":"ls <x>","cwd":"/w","diff":"-a\n+b\n c\n"}`)},
		agent.ToolCallStateEvent{ToolCallID: "c 1\"", State: agent.CallExecuting},
		agent.ToolResultDelta{ToolCallID: "c 1\"", Delta: "half "}, agent.ToolResultDelta{ToolCallID: "c 1\"", Delta: "of <it>"},
		agent.ToolCallStateEvent{ToolCallID: "c 1\"", State: agent.CallSuccess},
		agent.ToolCallResult{ToolCallID: "c 1\"", Result: strings.Repeat("sunny ", 1000)},
		agent.RunPaused{ApprovalIDs: []string{"a1"}},
		agent.ApprovalDecidedEvent{ApprovalID: "a1", Kind: "tool", ToolCallID: "c2", Decision: "reject", DecidedBy: "ana@example.com", Comment: "Not <here>"},
		agent.RunResumed{By: "ana@example.com"},
		agent.ToolCallStateEvent{ToolCallID: "c2", State: agent.CallError},
		agent.ToolCallResult{ToolCallID: "c2", Result: "A person refused this call.", ErrorType: agent.ErrRejected},
		agent.MessageEvent{Message: agent.Message{ID: "t1", Role: agent.FromTool, ToolCallID: "c 1\"", Content: "sunny"}},
		agent.MessageEvent{Message: agent.Message{ID: "t2", Role: agent.FromTool, ToolCallID: "c2", Content: "refused"}})
	for i := range 3 {
		id, call := fmt.Sprintf("m2%d", i), fmt.Sprintf("d%d", i)
		s.add("r1", 2+i, agent.StepStart{MessageID: id}, agent.ToolCallStart{ToolCallID: call, ToolName: "calculator"},
			answered(id, "", agent.CallRequest{ID: call, Name: "calculator", Arguments: `{"expression":"1+1"}`}), used)
	}
	s.add("r1", 4, agent.GuardEvent{Level: "warning", Detector: "generic_repeat", Count: 5, Message: "calculator was called 5 times."},
		agent.Notice{Message: "Recovered after a restart of the server."},
		agent.GuardEvent{Level: "critical", Detector: "generic_repeat", Count: 8, Message: "calculator was called 8 times."},
		agent.ApprovalRequestedEvent{ApprovalID: "a2", Kind: agent.KindLoop, ToolCallID: "d2", Risk: agent.RiskMedium, Message: "calculator was called 8 times.",
			Options: []agent.Option{{ID: "plain", Label: "Continue"}, {ID: "finish_now", Label: "Finish"}}, Generation: 1,
			Evidence: json.RawMessage(`{"detector":"generic_repeat","count":8,"threshold":8,"calls":[{"n":1,"toolName":"calculator","args":{"expression":"1+1"},"result":"2","tokens":10,"costMicros":5},{"n":2,"toolName":"calculator","args":{"expression":"1+1"},"blocked":true}],"also":[{"detector":"no_progress","count":8,"message":"same result"}]}`)},
		agent.RunPaused{ApprovalIDs: []string{"a2"}},
		agent.ApprovalDecidedEvent{ApprovalID: "a2", Kind: "loop", Decision: "resume", DecidedBy: "ana@example.com"},
		agent.RunResumed{By: "ana@example.com"},
		agent.ApprovalRequestedEvent{ApprovalID: "a3", Kind: agent.KindBudget, Risk: agent.RiskHigh, Message: "The token budget would be exceeded.", Generation: 1,
			Evidence: json.RawMessage(`{"scope":"run","usedTokens":199000,"limitTokens":200000,"nextStepTokens":4500}`)},
		agent.ApprovalRequestedEvent{ApprovalID: "a3", Kind: agent.KindBudget, Risk: agent.RiskHigh, Message: "Asked again.", Generation: 2,
			Evidence: json.RawMessage(`{"scope":"run","usedTokens":199000,"limitTokens":200000,"nextStepTokens":4500}`)},
		agent.ApprovalDecidedEvent{ApprovalID: "a3", Kind: "budget", Decision: "cancelled", DecidedBy: "system"},
		agent.BudgetEvent{Scope: "everybody_month", BudgetID: "b1", UsedMicros: 8_010_000, LimitMicros: 10_000_000, Level: "warning", ResetsAt: s.at},
		agent.ApprovalRequestedEvent{ApprovalID: "a4", Kind: agent.KindBudget, Risk: agent.RiskHigh, Message: "The spending budget would be exceeded.", Generation: 1,
			Evidence: json.RawMessage(`{"scope":"everybody_month","budgetId":"b1","money":true,"usedMicros":9900000,"limitMicros":10000000,"reservedMicros":50000,"nextStepTokens":4500,"nextStepMicros":60000,"resetsAt":"2026-02-01T00:00:00Z"}`)},
		agent.GuardEvent{Level: "breaker", Detector: "global_circuit_breaker", Count: 10, Message: "The breaker tripped."},
		agent.Finish{Status: agent.StatusStopped, StopReason: agent.StopLoop, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 5, OutputTokens: 7}, Estimated: true}, CostMicros: 42, Message: "The loop breaker tripped."})

	s.said("r2", "u2", "Again")
	s.add("r2", 0, agent.RunStart{Model: "demo", Limits: limits})
	s.add("r2", 1, agent.StepStart{MessageID: "m3"}, agent.ReasoningDelta{ID: "m3", Delta: "Hm."}, agent.ToolCallStart{ToolCallID: "x", ToolName: "gone"})
	s.add("r2", 1, agent.MessageReset{ID: "m3"}, agent.ErrorEvent{Message: "The model is down.", ErrorType: "provider_error", Retryable: true},
		agent.Finish{Status: agent.StatusFailed, StopReason: agent.StopProviderError, Message: "The model is down. Try again."})

	s.said("r3", "u3", "And now?")
	s.add("r3", 0, agent.RunStart{Model: "demo", Limits: limits}, answered("m4", "Written by a person."),
		agent.Finish{Status: agent.StatusFinished, StopReason: agent.StopGoal})
	s.said("r4", "u4", "Code")
	s.add("r4", 0, agent.RunStart{Model: "demo", Limits: limits})
	s.add("r4", 1, agent.StepStart{MessageID: "m5"})
	s.stream("r4", 1, "m5", "[a]: https://example.com\n\nSee [a].\n\n```go\nfunc <T>() {}\n", 4)
	return s
}

// pruned is what a load reads: the log without the deltas of what is final.
func pruned(events []agent.Event) []agent.Event {
	final := map[string]bool{} // by kind and id
	for _, e := range events {
		switch d := e.Data.(type) {
		case agent.MessageEvent:
			final["message "+d.Message.ID] = true
		case agent.ToolCallStateEvent:
			final["args "+e.RunID+"/"+d.ToolCallID] = true
		case agent.ToolCallResult:
			final["result "+e.RunID+"/"+d.ToolCallID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e agent.Event) bool {
		switch d := e.Data.(type) {
		case agent.TextDelta:
			return final["message "+d.ID]
		case agent.ReasoningDelta:
			return final["message "+d.ID]
		case agent.ToolCallDelta:
			return final["args "+e.RunID+"/"+d.ToolCallID]
		case agent.ToolResultDelta:
			return final["result "+e.RunID+"/"+d.ToolCallID]
		default:
			return false
		}
	})
}

// A page that was open all the time and one that is loaded now are the same,
// at every point of the log.
func TestLiveEqualsReload(t *testing.T) {
	t.Parallel()
	for _, may := range []bool{true, false} {
		conv := agent.Conversation{ID: "c1", OwnerID: "o"}
		liveEqualsReload(t, fullScript().events, func() *Presenter { return fold(conv, may) })
	}
}

// liveEqualsReload returns the page as it is at the end of the log.
func liveEqualsReload(t *testing.T, log []agent.Event, fold func() *Presenter) string {
	t.Helper()
	live := fold()
	page := open(t, live)
	for i, e := range log {
		page.apply(live.Apply(e))
		fresh := fold()
		fresh.Replay(agent.Transcript{Events: pruned(log[:i+1]), From: 1}, e.Seq)
		if diff := cmp.Diff(markup(t, parse(t, shown(t, fresh))), page.String()); diff != "" {
			t.Fatalf("after event %d (%s) (-reload +live):\n%s", e.Seq, e.Type(), diff)
		}
	}
	return page.String()
}

// A page that was loaded at any point and whose socket starts there ends like
// one that is loaded now, also where the log has been pruned in between.
func TestReconnectAnywhere(t *testing.T) {
	t.Parallel()
	conv := agent.Conversation{ID: "c1", OwnerID: "o"}
	reconnectsAnywhere(t, fullScript().events, func() *Presenter { return fold(conv, true) })
}

func reconnectsAnywhere(t *testing.T, log []agent.Event, fold func() *Presenter) {
	t.Helper()
	loaded := pruned(log)
	end := fold()
	end.Replay(agent.Transcript{Events: loaded, From: 1}, int64(len(log)))
	want := markup(t, parse(t, shown(t, end)))
	for after := range len(log) {
		then := fold()
		then.Replay(agent.Transcript{Events: pruned(log[:after]), From: 1}, int64(after))
		opened := open(t, then)
		for name, rest := range map[string][]agent.Event{"whole": log[after:], "pruned": loaded} {
			socket := fold()
			socket.Replay(agent.Transcript{Events: loaded, From: 1}, int64(after))
			page := &browser{t: t, root: copied(opened.root)}
			for _, e := range rest {
				if e.Seq > int64(after) {
					page.apply(socket.Apply(e))
				}
			}
			if got := page.String(); got != want {
				t.Fatalf("%s log after %d (-reload +page):\n%s", name, after, cmp.Diff(want, got))
			}
		}
	}
}

// People who may not decide get no form, now or live.
func TestReaderGetsNoForms(t *testing.T) {
	t.Parallel()
	p := fold(agent.Conversation{}, false)
	for _, e := range fullScript().events {
		for _, f := range p.Apply(e) {
			if strings.Contains(f.HTML, "/decision") {
				t.Fatalf("%s: %s", e.Type(), f.HTML)
			}
		}
	}
}

// Finished blocks are sent once: what a long answer sends stays in proportion to its length.
func TestStreamSendsBlocksOnce(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.said("r", "u", "long")
	s.add("r", 1, agent.StepStart{MessageID: "m"})
	text := strings.Repeat("A paragraph of some length, as they come.\n\n", 400)
	s.stream("r", 1, "m", text, 20)
	p, sent := fold(agent.Conversation{}, true), 0
	for _, e := range s.events {
		for _, f := range p.Apply(e) {
			sent += len(f.HTML)
		}
	}
	if sent > 10*len(text) {
		t.Errorf("%d bytes sent for %d bytes of text", sent, len(text))
	}
}

// BenchmarkDelta is one streamed piece of text on its way to a page.
func BenchmarkDelta(b *testing.B) {
	s := newScript()
	s.said("r", "u", "long")
	s.add("r", 1, agent.StepStart{MessageID: "m"})
	s.stream("r", 1, "m", strings.Repeat(sample+"\n", 20), 12)
	b.ReportAllocs()
	for b.Loop() {
		p := fold(agent.Conversation{}, true)
		for _, e := range s.events {
			p.Apply(e)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.events)), "ns/delta")
}

const sample = "# Plan\n\nSome *text* over\ntwo lines.\n\n- one\n- two\n  - deep\n\n- three\n\n1. a\n2. b\n\n" +
	"```go\npackage main\n\nfunc main() {}\n```\n\n> quote\nlazy\n\n|a|b|\n|-|-|\n|1|2|\n\ntext\n|c|d|\n|-|-|\n|3|4|\n" +
	"\nSetext\n===\n\n***\n~~~\nopen ``` inside\n~~~\n<div>\nraw\n</div>\n\nlast **line**\n"

func idOf(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}
