package provider

import (
	"fmt"
	"net/http"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// What templates say of a history that they do not take.
const (
	wantsTurns  = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
	wantsNoGap  = "Unexpected role 'user' after role 'tool'"
	wantsNoCall = "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."
	wantsText   = "messages[1]: content must not be empty or null"
)

// mistral is a template as that family has it: calls and results do not count as turns.
func mistral(messages []sentMessage) string {
	user := true
	for i, m := range messages {
		if m.Role == "user" && i > 0 && messages[i-1].Role == "tool" {
			return wantsNoGap
		}
		if m.Role == "system" && i == 0 || m.ofTools() {
			continue
		}
		if (m.Role == "user") != user {
			return wantsTurns
		}
		user = !user
	}
	return ""
}

// gemma is a template that knows neither a system prompt nor tools.
func gemma(messages []sentMessage) string {
	if messages[0].Role == "system" {
		return "System role not supported"
	}
	for i, m := range messages {
		if (m.Role == "user") != (i%2 == 0) || m.ofTools() {
			return wantsNoCall
		}
	}
	return ""
}

// full is a server that wants a text in each message.
func full(messages []sentMessage) string {
	for _, m := range messages {
		if s, _ := m.Content.(string); s == "" {
			return wantsText
		}
	}
	return ""
}

// strictly serves what a template takes, and refuses anything else.
func strictly(t *testing.T, template func([]sentMessage) string, code int) *script {
	t.Helper()
	var srv *script
	srv = serve(t, func(w http.ResponseWriter, r *http.Request) {
		bodies := srv.requests()
		if why := template(read(t, bodies[len(bodies)-1]).Messages); why != "" {
			status(code, errorBody(why))(w, r)
			return
		}
		raw(streamtest.Good)(w, r)
	})
	return srv
}

// TestStrictTemplates: what strict templates refuse is not sent, or not a second time.
func TestStrictTemplates(t *testing.T) {
	t.Parallel()
	says := func(text string) agent.Message { return agent.Message{ID: text, Role: agent.FromUser, Content: text} }
	reminds := func(text string) agent.Message { return agent.Message{Role: agent.FromUser, Content: text} }
	answers := func(text string) agent.Message { return agent.Message{Role: agent.FromAssistant, Content: text} }
	calls := agent.Message{Role: agent.FromAssistant, ToolCalls: streamtest.Calls(agent.CallRequest{ID: "a", Name: "f", Arguments: "{}"})}
	result := agent.Message{Role: agent.FromTool, ToolCallID: "a", Content: "r"}
	thought := agent.Message{Role: agent.FromAssistant, Reasoning: "Hm."}
	for _, tc := range []struct {
		name     string
		template func([]sentMessage) string
		family   Family
		status   int
		history  []agent.Message
		tries    int // of the first request
	}{
		{"two messages in a row", mistral, Plain, 400, []agent.Message{says("first"), says("second")}, 1},
		{"five in a row", mistral, Plain, 400, []agent.Message{says("1"), says("2"), says("3"), says("4"), says("5")}, 1},
		{"reminders", mistral, Plain, 400, []agent.Message{says("first"), reminds("second"), reminds("third")}, 1},
		{"a reminder behind a failed run", mistral, Plain, 400, []agent.Message{says("first"), says("second"), reminds("third")}, 1},
		{"a summary", mistral, Plain, 400, []agent.Message{reminds("[Summary]"), says("first"), answers("a"), says("second")}, 1},
		{"an answer that was thought alone", mistral, Plain, 400, []agent.Message{says("first"), thought, says("second")}, 1},
		{"two answers in a row", mistral, Plain, 400, []agent.Message{says("first"), answers("a"), answers("b"), says("second")}, 1},
		{"an answer and then calls", mistral, Plain, 400, []agent.Message{says("first"), answers("a"), calls, result, answers("b"), says("second")}, 1},
		{"behind a result", mistral, Plain, 400, []agent.Message{says("first"), calls, result, says("second")}, 2},
		{"behind a result, known", mistral, Mistral, 400, []agent.Message{says("first"), calls, result, says("second")}, 1},
		{"behind a result, as a failure of the server", mistral, Plain, 500, []agent.Message{says("first"), calls, result, says("a"), says("b")}, 2},
		{"no system prompt", gemma, Plain, 400, []agent.Message{says("first"), says("second")}, 2},
		{"neither tools nor a system prompt", gemma, Plain, 500, []agent.Message{says("first"), calls, result, says("second")}, 4},
		{"no results without a text", full, Plain, 400, []agent.Message{says("first"), answers("I look."), says(" \n"), {Role: agent.FromAssistant, Content: "Looking.", ToolCalls: calls.ToolCalls}, {Role: agent.FromTool, ToolCallID: "a"}}, 1},
		{"no calls without a text", full, Plain, 400, []agent.Message{says("first"), calls, result}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := strictly(t, tc.template, tc.status)
			p, _ := newProvider(t, srv.URL, func(c *Config) { c.Family, c.Retry.Max = tc.family, 0 })
			req := agent.Request{Model: "m", System: "Be kind.", Messages: tc.history, Memory: new(agent.Memory)}
			if _, err := p.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
				t.Fatalf("%v\n%s", err, srv.requests()[len(srv.requests())-1])
			}
			if n := len(srv.requests()); n != tc.tries {
				t.Errorf("%d tries, want %d", n, tc.tries)
			}
			if err := soundRequest(srv.requests()[len(srv.requests())-1]); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAFailedRunLeavesItsChat: the next message of a chat is answered, whatever its last
// run came to.
func TestAFailedRunLeavesItsChat(t *testing.T) {
	t.Parallel()
	thoughtAlone := raw(streamtest.SSE(streamtest.Delta(`"reasoning_content":"Hm."`), streamtest.Finish("stop"), streamtest.Done))
	empty := raw(streamtest.SSE(streamtest.Finish("stop"), streamtest.Done))
	for name, first := range map[string]http.HandlerFunc{
		"an empty answer": empty, "thought alone": thoughtAlone, "out of order": status(503, "{}"), "refused": status(401, "{}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var srv *script
			s, srv := newStack(t, fixture{}, first, func(w http.ResponseWriter, r *http.Request) {
				bodies := srv.requests()
				if why := mistral(read(t, bodies[len(bodies)-1]).Messages); why != "" {
					status(400, errorBody(why))(w, r)
					return
				}
				raw(streamtest.Good)(w, r)
			})
			s.run("first")
			before := len(srv.requests())
			if run := s.run("second"); run.Status != agent.StatusFinished || len(srv.requests()) != before+1 {
				t.Errorf("run %s after %d requests", run.Status, len(srv.requests())-before)
			}
		})
	}
}

// TestJoinedHistoriesAreKept: a history that grows, and changes at its end, is sent like
// one that nothing is known of.
func TestJoinedHistoriesAreKept(t *testing.T) {
	t.Parallel()
	var bodies [2][]string
	for i, memory := range []*agent.Memory{nil, new(agent.Memory)} {
		srv := serve(t, raw(streamtest.Good))
		p, _ := newProvider(t, srv.URL)
		var kept []agent.Message
		for n := range 12 {
			m := agent.Message{ID: []string{"", "written"}[n%5/3], Role: agent.FromUser, Content: fmt.Sprint("m", n)}
			if n%4 == 3 {
				m.Role = agent.FromAssistant
			}
			kept = append(kept, m)
			for _, ending := range [][]agent.Message{nil, {{Role: agent.FromUser, Content: "[Reminder]"}}, {{Role: agent.FromUser, Content: "[Another]"}, {Role: agent.FromUser, Content: "one"}}, nil} {
				req := agent.Request{Model: "m", Messages: append(kept[:len(kept):len(kept)], ending...), Memory: memory}
				if _, err := p.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
					t.Fatal(err)
				}
			}
		}
		bodies[i] = srv.requests()
	}
	for i := range bodies[0] {
		if bodies[0][i] != bodies[1][i] {
			t.Fatalf("request %d:\n%s\nwithout a memory:\n%s", i, bodies[1][i], bodies[0][i])
		}
		if why := mistral(read(t, bodies[0][i]).Messages); why != "" {
			t.Fatalf("request %d: %s\n%s", i, why, bodies[0][i])
		}
	}
}
