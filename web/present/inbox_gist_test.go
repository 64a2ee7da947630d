package present

import (
	"encoding/json"
	"testing"

	"fusebox/agent"
	"fusebox/views/text"
)

// TestInboxGist: each kind of row shows the part that matters, for people.
func TestInboxGist(t *testing.T) {
	t.Parallel()
	question := agent.Approval{
		Kind: agent.KindQuestion, Args: json.RawMessage(`{"question":"Which?","options":["Red","Green"]}`),
		Options: []agent.Option{{ID: "1", Label: "Red"}, {ID: "2", Label: "Green"}},
	}
	open := agent.Approval{Kind: agent.KindQuestion, Args: json.RawMessage(`{"question":"Which?"}`)}
	call := agent.Approval{Kind: agent.KindTool, Args: json.RawMessage(`{"path":"a"}`)}
	for _, tt := range []struct {
		a    agent.Approval
		want string
	}{{question, "Red · Green"}, {open, ""}, {call, `path="a"`}} {
		if got, _ := InboxGist(text.In(t.Context()), tt.a); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.a.Kind, got, tt.want)
		}
	}
}
