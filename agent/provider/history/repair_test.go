package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/provider/history/historytest"
)

func TestRepair(t *testing.T) {
	t.Parallel()
	odd := func(name, args string) agent.Message {
		return agent.Message{Role: agent.FromAssistant, ToolCalls: []agent.CallRequest{{ID: "a", Name: name, Arguments: args}}}
	}
	type list = []agent.Message
	wrote := func(args string) string {
		return "\n[The arguments of this call were no JSON object. You wrote: " + args + "]"
	}
	for name, row := range map[string]struct{ in, want list }{
		"a result without a call":       {list{historytest.Result("a", "1"), historytest.Says("hi"), historytest.Result("b", "2")}, list{historytest.Says("hi")}},
		"a call without a result":       {list{historytest.Says("hi"), historytest.Asks("a", "b"), historytest.Result("b", "2"), historytest.Says("go on")}, list{historytest.Says("hi"), historytest.Asks("a", "b"), historytest.Result("b", "2"), historytest.Result("a", lostResult), historytest.Says("go on")}},
		"a message in between":          {list{historytest.Asks("a"), historytest.Says("go on"), historytest.Result("a", "1")}, list{historytest.Asks("a"), historytest.Result("a", "1"), historytest.Says("go on")}},
		"a second result":               {list{historytest.Asks("a"), historytest.Result("a", "1"), historytest.Result("a", "2")}, list{historytest.Asks("a"), historytest.Result("a", "1")}},
		"a late result":                 {list{historytest.Asks("a"), historytest.Answers("x"), historytest.Result("a", "1")}, list{historytest.Asks("a"), historytest.Result("a", "1"), historytest.Answers("x")}},
		"an id that comes back":         {list{historytest.Asks("a"), historytest.Result("a", "1"), historytest.Asks("a"), historytest.Result("a", "2")}, list{historytest.Asks("a"), historytest.Result("a", "1"), historytest.Asks("a_2"), historytest.Result("a_2", "2")}},
		"an id that comes back, broken": {list{historytest.Asks("a"), historytest.Asks("a"), historytest.Result("a", "2")}, list{historytest.Asks("a"), historytest.Result("a", lostResult), historytest.Asks("a_2"), historytest.Result("a_2", "2")}},
		"one id twice in a message":     {list{historytest.Asks("a", "a"), historytest.Result("a", "1"), historytest.Result("a", "2")}, list{historytest.Asks("a", "a_2"), historytest.Result("a", "1"), historytest.Result("a_2", "2")}},
		"no ids":                        {list{historytest.Asks("", ""), historytest.Result("", "1"), historytest.Result("", "2")}, list{historytest.Asks("call_r2", "call_r3"), historytest.Result("call_r2", "1"), historytest.Result("call_r3", "2")}},
		"empty answers":                 {list{historytest.Says("hi"), historytest.Answers(""), historytest.Answers(" \n"), historytest.Says("hello?")}, list{historytest.Says("hi"), historytest.Says("hello?")}},
		"arguments that are none":       {list{odd("f", `{"a":`), historytest.Result("a", "1")}, list{odd("f", "{}"), historytest.Result("a", `1`+wrote(`{"a":`))}},
		"arguments in a string":         {list{odd("f", `"{\"a\":1}"`), historytest.Result("a", "1")}, list{odd("f", `{"a":1}`), historytest.Result("a", "1")}},
		"arguments in a list":           {list{odd("f", `[1]`), historytest.Result("a", "1")}, list{odd("f", "{}"), historytest.Result("a", "1"+wrote("[1]"))}},
		"arguments in single quotes":    {list{odd("f", `{'a': 1}`), historytest.Result("a", "1")}, list{odd("f", "{}"), historytest.Result("a", "1"+wrote(`{'a': 1}`))}},
		"two objects":                   {list{odd("f", `{"a":1}{"a":2}`), historytest.Result("a", "1")}, list{odd("f", "{}"), historytest.Result("a", "1"+wrote(`{"a":1}{"a":2}`))}},
		"arguments, no result":          {list{odd("f", `a=1`), historytest.Says("hi")}, list{odd("f", "{}"), historytest.Result("a", lostResult+wrote("a=1")), historytest.Says("hi")}},
		"no arguments":                  {list{odd("f", "null"), historytest.Result("a", "1")}, list{odd("f", "{}"), historytest.Result("a", "1")}},
		"long arguments":                {list{odd("f", strings.Repeat("é", 3000)), historytest.Result("a", "1")}, list{odd("f", "{}"), historytest.Result("a", "1"+wrote(strings.Repeat("é", 1000)+" […] "+strings.Repeat("é", 1000)))}},
		"a name that is none":           {list{odd("f g/é", "{}"), historytest.Result("a", "1")}, list{odd("f_g__", "{}"), historytest.Result("a", "1")}},
		"no name":                       {list{odd("", "{}"), historytest.Result("a", "1")}, list{odd("unknown", "{}"), historytest.Result("a", "1")}},
	} {
		got, n := newRepairer().repair(row.in)
		if diff := cmp.Diff(row.want, got); diff != "" || n == 0 {
			t.Errorf("%s: %d repairs (-want +got):\n%s", name, n, diff)
		}
	}
}

func TestRepairLeavesSoundHistoriesAlone(t *testing.T) {
	t.Parallel()
	odd := historytest.Asks("x")
	odd.ToolCalls[0].Arguments = "{ \"b\" : 1.0,\n\"a\":\"é\" }"
	odd.Content = "let me see"
	history := []agent.Message{
		historytest.Says("hi"), historytest.Asks("a", "b"), historytest.Result("b", "2"), historytest.Result("a", ""), historytest.Answers("done"), historytest.Says(""), historytest.Says("more"), odd, historytest.Result("x", "1"), historytest.Says("[System reminder] no"),
	}
	got, n := newRepairer().repair(history)
	if diff := cmp.Diff(history, got); diff != "" || n != 0 {
		t.Errorf("%d repairs (-want +got):\n%s", n, diff)
	}
}
