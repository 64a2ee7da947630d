package provider

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/demo"
)

func says(text string) agent.Message { return agent.Message{Role: agent.FromUser, Content: text} }

func answers(text string) agent.Message {
	return agent.Message{Role: agent.FromAssistant, Content: text}
}

func asks(ids ...string) agent.Message {
	m := agent.Message{Role: agent.FromAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{ID: id, Name: "f", Arguments: "{}"})
	}
	return m
}

func result(id, text string) agent.Message {
	return agent.Message{Role: agent.FromTool, ToolCallID: id, Content: text}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	odd := func(name, args string) agent.Message {
		return agent.Message{Role: agent.FromAssistant, ToolCalls: []agent.CallRequest{{ID: "a", Name: name, Arguments: args}}}
	}
	type list = []agent.Message
	for name, row := range map[string]struct{ in, want list }{
		"a result without a call":       {list{result("a", "1"), says("hi"), result("b", "2")}, list{says("hi")}},
		"a call without a result":       {list{says("hi"), asks("a", "b"), result("b", "2"), says("go on")}, list{says("hi"), asks("a", "b"), result("b", "2"), result("a", lostResult), says("go on")}},
		"a message in between":          {list{asks("a"), says("go on"), result("a", "1")}, list{asks("a"), result("a", "1"), says("go on")}},
		"a second result":               {list{asks("a"), result("a", "1"), result("a", "2")}, list{asks("a"), result("a", "1")}},
		"a late result":                 {list{asks("a"), answers("x"), result("a", "1")}, list{asks("a"), result("a", "1"), answers("x")}},
		"an id that comes back":         {list{asks("a"), result("a", "1"), asks("a"), result("a", "2")}, list{asks("a"), result("a", "1"), asks("a_2"), result("a_2", "2")}},
		"an id that comes back, broken": {list{asks("a"), asks("a"), result("a", "2")}, list{asks("a"), result("a", lostResult), asks("a_2"), result("a_2", "2")}},
		"one id twice in a message":     {list{asks("a", "a"), result("a", "1"), result("a", "2")}, list{asks("a", "a_2"), result("a", "1"), result("a_2", "2")}},
		"no ids":                        {list{asks("", ""), result("", "1"), result("", "2")}, list{asks("call_r2", "call_r3"), result("call_r2", "1"), result("call_r3", "2")}},
		"empty answers":                 {list{says("hi"), answers(""), answers(" \n"), says("hello?")}, list{says("hi"), says("hello?")}},
		"arguments that are none":       {list{odd("f", `{"a":`), result("a", "1")}, list{odd("f", "{}"), result("a", "1")}},
		"arguments in a string":         {list{odd("f", `"{\"a\":1}"`), result("a", "1")}, list{odd("f", `{"a":1}`), result("a", "1")}},
		"arguments in a list":           {list{odd("f", `[1]`), result("a", "1")}, list{odd("f", "{}"), result("a", "1")}},
		"a name that is none":           {list{odd("f g/é", "{}"), result("a", "1")}, list{odd("f_g__", "{}"), result("a", "1")}},
		"no name":                       {list{odd("", "{}"), result("a", "1")}, list{odd("unknown", "{}"), result("a", "1")}},
	} {
		got, n := repair(row.in)
		if diff := cmp.Diff(row.want, got); diff != "" || n == 0 {
			t.Errorf("%s: %d repairs (-want +got):\n%s", name, n, diff)
		}
	}
}

func TestRepairLeavesSoundHistoriesAlone(t *testing.T) {
	t.Parallel()
	odd := asks("x")
	odd.ToolCalls[0].Arguments = "{ \"b\" : 1.0,\n\"a\":\"é\" }"
	odd.Content = "let me see"
	history := []agent.Message{
		says("hi"), asks("a", "b"), result("b", "2"), result("a", ""), answers("done"), says(""), says("more"), odd, result("x", "1"), says("[System reminder] no"),
	}
	got, n := repair(history)
	if diff := cmp.Diff(history, got); diff != "" || n != 0 {
		t.Errorf("%d repairs (-want +got):\n%s", n, diff)
	}
}

// TestRepairIsTotal mends random histories, and lets a strict endpoint judge.
func TestRepairIsTotal(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(demo.Handler(demo.Options{}))
	t.Cleanup(srv.Close)
	p, _ := newProvider(t, srv.URL, func(c *Config) {
		c.HTTPClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	})
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		history := randomHistory(r)
		before := fmt.Sprint(history)
		once, _ := repair(history)
		again, n := repair(once)
		if diff := cmp.Diff(once, again); diff != "" || n != 0 {
			t.Fatalf("not idempotent, %d repairs of %+v:\n%s", n, history, diff)
		}
		if fmt.Sprint(history) != before {
			t.Fatalf("the input was changed: %s", before)
		}
		for _, m := range once {
			for _, c := range m.ToolCalls {
				if !json.Valid([]byte(c.Arguments)) || c.Name == "" {
					t.Fatalf("unsound call %+v", c)
				}
			}
		}
		req := agent.Request{Model: "demo", Messages: append(history, says("hello"))}
		if _, err := p.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
			t.Fatalf("%v for %+v", err, history)
		}
	}
}

func randomHistory(r *rand.Rand) []agent.Message {
	ids := []string{"", "a", "b", "a_2", "call_r2"}
	arguments := []string{"{}", "", `{"a":1}`, "null", `{"a":`, `"{}"`}
	id := func() string { return ids[r.IntN(len(ids))] }
	history := make([]agent.Message, r.IntN(12))
	for i := range history {
		switch r.IntN(4) {
		case 0:
			history[i] = says("hi")
		case 1:
			history[i] = answers([]string{"", "ok"}[r.IntN(2)])
		case 2:
			history[i] = result(id(), "r")
		default:
			for range 1 + r.IntN(3) {
				history[i].Role = agent.FromAssistant
				history[i].ToolCalls = append(history[i].ToolCalls, agent.CallRequest{ID: id(), Name: "f", Arguments: arguments[r.IntN(len(arguments))]})
			}
		}
	}
	return history
}
