package present

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// callsScript is a run that calls one tool in many answers, says something, and then
// calls two tools in one answer.
func callsScript() *script {
	s := newScript()
	s.said("r1", "u1", "Read them")
	s.add("r1", 0, agent.RunStart{Model: "demo"})
	for i := range 5 {
		id, call := fmt.Sprintf("m%d", i), fmt.Sprintf("c%d", i)
		s.add("r1", i+1, agent.StepStart{MessageID: id}, agent.ToolCallStart{ToolCallID: call, ToolName: "read_file"},
			answered(id, "", agent.CallRequest{ID: call, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"part%d.txt"}`, i)}))
		s.ran("r1", i+1, call, fmt.Sprintf("text %d", i))
	}
	s.add("r1", 6, agent.StepStart{MessageID: "n1"}, agent.ToolCallStart{ToolCallID: "d1", ToolName: "read_file"},
		answered("n1", "One more.", agent.CallRequest{ID: "d1", Name: "read_file", Arguments: `{"path":"last.txt"}`}))
	var calls []agent.CallRequest
	for i, tool := range []string{"calculator", "calculator", "calculator", "get_weather"} {
		calls = append(calls, agent.CallRequest{ID: fmt.Sprintf("p%d", i), Name: tool, Arguments: `{"expression":"1+1","city":"Rome"}`})
	}
	s.add("r1", 7, agent.StepStart{MessageID: "n2"}, agent.ToolCallStart{ToolCallID: "p0", ToolName: "calculator"}, agent.ToolCallStart{ToolCallID: "p1", ToolName: "calculator"},
		agent.ToolCallStart{ToolCallID: "p2", ToolName: "calculator"}, agent.ToolCallStart{ToolCallID: "p3", ToolName: "get_weather"}, answered("n2", "", calls...))
	s.ran("r1", 7, "p0", `{"result":2}`)
	s.add("r1", 7, agent.ToolCallStateEvent{ToolCallID: "p1", State: agent.CallAwaiting},
		agent.ApprovalRequestedEvent{ApprovalID: "a1", Kind: agent.KindLoop, ToolCallID: "p1", Generation: 1})
	return s
}

// ran adds a call that ran from one event to the next.
func (s *script) ran(run string, step int, call, result string) {
	s.add(run, step, agent.ToolCallStateEvent{ToolCallID: call, State: agent.CallExecuting}, agent.ToolCallStateEvent{ToolCallID: call, State: agent.CallSuccess}, agent.ToolCallResult{ToolCallID: call, Result: result})
}

// TestCallsOfOneToolAreOneLine: calls of one tool are one line that says what is the
// matter with them, live as after a reload; an answer that says something begins anew.
func TestCallsOfOneToolAreOneLine(t *testing.T) {
	t.Parallel()
	liveEqualsReload(t, callsScript().events, func() *Presenter { return fold(agent.Conversation{ID: "c"}, true) })
	p := fold(agent.Conversation{ID: "c"}, true)
	for _, e := range callsScript().events {
		p.fold(e)
	}
	page := shown(t, p)
	if n := strings.Count(page, `class="tool-group"`); n != 2 {
		t.Errorf("%d groups, want 2", n)
	}
	if n := strings.Count(page, `<article class="answer"`); n != 3 {
		t.Errorf("%d answers, want 3: those that only call are with the first", n)
	}
	for _, want := range []string{"× 5", "part0.txt, part1.txt, part2.txt, part3.txt, part4.txt", "1.5 s", "× 3", "1 held by a breaker", "Look up the weather in", "Read <code"} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

// TestJoinedCallsAreNotLost: a page that does not hold the answer above, because it was
// loaded from further down, shows the calls in their own.
func TestJoinedCallsAreNotLost(t *testing.T) {
	t.Parallel()
	p := fold(agent.Conversation{ID: "c"}, true)
	b := open(t, p)
	for i, e := range callsScript().events {
		out := p.Apply(e)
		if i == 8 { // the first answer is above what the page shows
			b.apply([]Fragment{{Op: OpRemove, Target: "m-m0"}})
		}
		for _, f := range out {
			if b.find(f.Target) != nil || f.Op != OpAppend {
				b.apply([]Fragment{f})
			} else if n := b.element(f); b.find(idOf(n)) != nil { // what the page's script does
				b.put(f, b.find(idOf(n)))
			}
		}
	}
	for i := 1; i < 5; i++ {
		if want := fmt.Sprintf("part%d.txt", i); !strings.Contains(b.String(), want) {
			t.Errorf("%s is lost", want)
		}
	}
}
