package web_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// oracle answers by chance, and holds what it is asked against the messages that there are.
type oracle struct {
	*agenttest.Provider // counts tokens
	t                   *testing.T
	rand                *rand.Rand
	// behind is what the next request has to end with, and known are the messages so far.
	behind string
	known  map[string]agent.Message
	asked  int
}

// Complete implements agent.Provider.
func (o *oracle) Complete(_ context.Context, req agent.Request, sink func(agent.Delta) error) (agent.Completion, error) {
	o.asked++
	messages := req.Messages
	if last := messages[len(messages)-1]; last.ID == "" && strings.HasPrefix(last.Content, "[System reminder]") {
		messages = messages[:len(messages)-1]
	}
	last := messages[len(messages)-1]
	var open []string // calls without a result
	for i, m := range messages {
		if above := parentIn(messages, i); m.ID == "" || m.ParentID != above {
			o.t.Errorf("the request has %q after %q, but its parent is %q", m.ID, above, m.ParentID)
		}
		if was, ok := o.known[m.ID]; ok && was.Content != m.Content {
			o.t.Errorf("the request has %q in place of %q", m.Content, was.Content)
		}
		switch {
		case m.Role == agent.FromTool && (len(open) == 0 || open[0] != m.ToolCallID):
			o.t.Errorf("a result of %s without its call", m.ToolCallID)
		case m.Role == agent.FromTool:
			open = open[1:]
		case len(open) > 0:
			o.t.Errorf("calls without results: %v", open)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if last.RunID != req.RunID && last.ID != o.behind {
		o.t.Errorf("the request ends with %q, want %q", last.ID, o.behind)
	}
	done := agent.Completion{FinishReason: "stop", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 5}}, Model: req.Model}
	dice := o.rand.IntN(10)
	switch {
	case dice < 3 && last.Role != agent.FromTool:
		done.Calls, done.FinishReason = []agent.CallRequest{agenttest.Call(fmt.Sprint("call", o.asked), "run_shell", fmt.Sprintf(`{"command":"%d"}`, o.asked))}, "tool_calls"
		return done, nil
	case dice == 3:
		return done, &agent.ProviderError{Status: 503, Message: "Down.", Attempts: 1}
	case dice < 6:
		done.FinishReason = "length"
	}
	done.Content = fmt.Sprint("answer ", o.asked)
	return done, sink(agent.Delta{Kind: agent.DeltaText, Text: done.Content})
}

func parentIn(messages []agent.Message, i int) string {
	if i == 0 {
		return ""
	}
	return messages[i-1].ID
}

// killed is a process that dies before one of its entries.
type killed struct {
	agent.Journal
	left int
}

var errKilled = errors.New("killed")

func (k *killed) Append(ctx context.Context, e agent.Change) (agent.Committed, error) {
	if k.left--; k.left < 0 {
		return agent.Committed{}, errKilled
	}
	return k.Journal.Append(ctx, e)
}
