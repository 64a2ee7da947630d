package agenttest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"fusebox/agent"
)

// Turn is what the scripted model answers to one request.
type Turn struct {
	Text      string
	Reasoning string
	Calls     []agent.CallRequest
	Usage     agent.Usage
	Finish    string // "" is stop, or tool_calls where there are calls
	Err       error
	// Retried is how often the answer is streamed in vain and voided before it
	// comes whole.
	Retried int
	// Hold makes the model stream its text and then wait for the end of the context.
	Hold bool
}

// Provider is an agent.Provider that plays a script, one Turn a request, and
// remembers the requests. After the script it answers "done". It refuses a
// history that a strict provider would refuse.
type Provider struct {
	mu       sync.Mutex
	turns    []Turn
	requests []agent.Request
	// Stateless finds the turn by how many answers the request's history holds,
	// as a real model would: a request that is made again gets the same answer.
	Stateless bool
	// Agents are the scripts of child runs, by the names of their agents. Each child plays its
	// own from the beginning.
	Agents map[string][]Turn
	// Holding is closed when a Turn with Hold has streamed its text.
	Holding chan struct{}
}

// Script makes a Provider.
func Script(turns ...Turn) *Provider {
	return &Provider{turns: turns, Holding: make(chan struct{})}
}

// Requests returns what was asked so far.
func (p *Provider) Requests() []agent.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]agent.Request(nil), p.requests...)
}

func (p *Provider) next(req agent.Request) Turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	req.Messages = append([]agent.Message(nil), req.Messages...)
	p.requests = append(p.requests, req)
	turns, scripted := p.turns, false
	for name, script := range p.Agents {
		if strings.Contains(req.System, "You are the agent "+name+",") {
			turns, scripted = script, true
		}
	}
	if p.Stateless || scripted {
		answers := 0
		for _, m := range req.Messages {
			if m.Role == agent.FromAssistant {
				answers++
			}
		}
		if answers < len(turns) {
			return turns[answers]
		}
		return Turn{Text: "done"}
	}
	if len(p.turns) == 0 {
		return Turn{Text: "done"}
	}
	t := p.turns[0]
	p.turns = p.turns[1:]
	return t
}

// Complete implements agent.Provider.
func (p *Provider) Complete(ctx context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	t := p.next(req)
	if err := strict(req.Messages); err != nil {
		return agent.Completion{}, &agent.ProviderError{Status: 400, Message: "The history is refused: " + err.Error(), Attempts: 1}
	}
	var deltas []agent.Delta
	for range t.Retried {
		deltas = append(append(deltas, t.deltas()...), agent.Delta{Kind: agent.DeltaReset})
	}
	for _, d := range append(deltas, t.deltas()...) {
		if err := sink(d); err != nil {
			return agent.Completion{}, err
		}
	}
	if t.Hold {
		close(p.Holding)
		<-ctx.Done()
		return agent.Completion{}, context.Cause(ctx)
	}
	if t.Err != nil {
		return agent.Completion{}, t.Err
	}
	if t.Finish == "" {
		t.Finish = "stop"
		if len(t.Calls) > 0 {
			t.Finish = "tool_calls"
		}
	}
	return agent.Completion{
		Content: t.Text, Reasoning: t.Reasoning, Calls: t.Calls, FinishReason: t.Finish, Usage: t.Usage, Model: req.Model,
	}, nil
}

func (t Turn) deltas() []agent.Delta {
	var out []agent.Delta
	if t.Reasoning != "" {
		out = append(out, agent.Delta{Kind: agent.DeltaReasoning, Text: t.Reasoning})
	}
	for _, r := range t.Text {
		out = append(out, agent.Delta{Kind: agent.DeltaText, Text: string(r)})
	}
	for _, c := range t.Calls {
		out = append(out,
			agent.Delta{Kind: agent.DeltaCallStart, CallID: c.ID, ToolName: c.Name},
			agent.Delta{Kind: agent.DeltaCallArgs, CallID: c.ID, Text: c.Arguments})
	}
	return out
}

// Call is one requested call in short.
func Call(id, name, args string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: name, Arguments: args}
}

// CountPrompt implements agent.TokenCounter: a quarter of the bytes, and 10 for each message.
func (p *Provider) CountPrompt(req agent.Request) int64 {
	n := int64(len(req.System) / 4)
	for _, m := range req.Messages {
		n += int64(len(m.Content)/4) + 10
	}
	return n
}

// CountText implements agent.TokenCounter.
func (p *Provider) CountText(text string) int64 { return int64(len(text) / 4) }

// strict checks a request against what the strictest providers ask of a
// history: every call is answered by exactly one result, directly behind the
// answer that made it and in its order, and nothing answers what was not asked.
func strict(messages []agent.Message) error {
	var missing []agent.CallRequest
	asked := map[string]bool{}
	for i, m := range messages {
		switch {
		case len(missing) > 0 && (m.Role != agent.FromTool || m.ToolCallID != missing[0].ID):
			return fmt.Errorf("message %d: the result of call %s must be here", i, missing[0].ID)
		case len(missing) == 0 && m.Role == agent.FromTool:
			return fmt.Errorf("message %d: a result of %s, which nobody asked for", i, m.ToolCallID)
		case m.Role == agent.FromTool:
			missing = missing[1:]
		case m.Role == agent.FromAssistant && m.Content == "" && len(m.ToolCalls) == 0:
			return fmt.Errorf("message %d: an empty answer", i)
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || asked[c.ID] {
				return fmt.Errorf("message %d: the id %q of a call is empty or taken", i, c.ID)
			}
			asked[c.ID] = true
			missing = append(missing, c)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the history ends without the result of call %s", missing[0].ID)
	}
	return nil
}
