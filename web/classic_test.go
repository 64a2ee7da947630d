package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
)

// classicClient is a client of the first hour: it puts pieces together and overlooks what
// it does not know.
type classicClient struct {
	text, args map[string]string
	types      []string
	last       int64
}

// take reads events, one a line.
func (c *classicClient) take(t *testing.T, lines []string) {
	t.Helper()
	if c.text == nil {
		c.text, c.args = map[string]string{}, map[string]string{}
	}
	for _, line := range lines {
		var e struct {
			Seq                         int64
			Type, ID, ToolCallID, Delta string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq <= c.last {
			t.Fatalf("event %d comes after %d", e.Seq, c.last)
		}
		c.last = e.Seq
		c.types = append(c.types, e.Type)
		switch e.Type {
		case "text-delta":
			c.text[e.ID] += e.Delta
		case "tool-call-delta":
			c.args[e.ToolCallID] += e.Delta
		}
	}
}

// brokenAnswer is a step whose stream broke twice: once within its text, once within a call.
func brokenAnswer() []agent.EventData {
	text := func(s string) agent.EventData { return agent.TextDelta{ID: "m", Delta: s} }
	args := func(s string) agent.EventData { return agent.ToolCallDelta{ToolCallID: "c", Delta: s} }
	start := agent.ToolCallStart{ToolCallID: "c", ToolName: "calculator"}
	return []agent.EventData{
		agent.StepStart{MessageID: "m"},
		text("I will "), text("add"), agent.MessageReset{ID: "m"}, agent.RetryEvent{Attempt: 1, MaxAttempts: 3},
		text("I"), text(" will add 请"), start, args(`{"expr`), agent.MessageReset{ID: "m"}, agent.RetryEvent{Attempt: 2, MaxAttempts: 3},
		text("I will add 请"), text("稍等."), start, args(`{"expression":`), args(`"1+1"}`),
		agent.StepFinish{FinishReason: "tool_calls"},
		agent.MessageEvent{Message: agent.Message{
			ID: "m", Role: agent.FromAssistant, Content: "I will add 请稍等.", RunID: "run",
			ToolCalls: []agent.CallRequest{{ID: "c", Name: "calculator", Arguments: `{"expression":"1+1"}`}},
		}},
		agent.ToolCallStateEvent{ToolCallID: "c", State: agent.CallValidating},
		agent.ToolCallStateEvent{ToolCallID: "c", State: agent.CallExecuting},
		agent.ToolResultDelta{ToolCallID: "c", Delta: "2"},
		agent.ToolCallResult{ToolCallID: "c", Result: "2"},
	}
}

// TestCompat: by both doors, live and in a replay, whole and from every place on, a client
// that knows only the classic types has each text once.
func TestCompat(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	for _, data := range brokenAnswer() {
		s.append(run, agent.Change{Events: []agent.Event{{Data: data}}})
	}
	c := s.client(ana)
	base := "/api/v1/conversations/" + run.ConversationID + "/events?follow=false&compat=1"
	lines := func(after int64) []string {
		body := c.call(http.MethodGet, fmt.Sprint(base, "&after=", after), "").body
		return slices.DeleteFunc(strings.Split(body, "\n"), func(l string) bool { return l == "" })
	}
	all := lines(0)
	conn, _ := c.dial("/ws/conversations/" + run.ConversationID + "?compat=1")
	for door, got := range map[string][]string{"ndjson": all, "websocket": read(t, conn, len(all))} {
		var client classicClient
		client.take(t, got)
		client.complete(t, door)
	}
	// The reader comes back after each event that there is.
	for at := range all {
		var client classicClient
		client.take(t, all[:at])
		client.take(t, lines(client.last))
		client.complete(t, fmt.Sprint("back after ", client.last))
	}
	if res := c.call(http.MethodGet, strings.Replace(base, "compat=1", "compat=yes", 1), ""); res.status != http.StatusBadRequest || !strings.Contains(res.body, "compat") {
		t.Errorf("compat=yes: %d %s", res.status, res.body)
	}
}

// complete checks that a client has everything once, and nothing else.
func (c *classicClient) complete(t *testing.T, how string) {
	t.Helper()
	if c.text["m"] != "I will add 请稍等." || c.args["c"] != `{"expression":"1+1"}` {
		t.Errorf("%s: text %q, arguments %q", how, c.text["m"], c.args["c"])
	}
	for _, kind := range c.types {
		if !slices.Contains([]string{"step-start", "step-finish", "text-delta", "tool-call-start", "tool-call-delta", "tool-call-result", "error", "finish"}, kind) {
			t.Errorf("%s: an event %s", how, kind)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(c.types), func(k string) bool { return k != "tool-call-start" })); n != 1 {
		t.Errorf("%s: the call begins %d times", how, n)
	}
}
