package mcp

import (
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestPrompts: people get the prompts of servers that their role may use, as text of a bounded
// length; a server that hangs is named, and holds nobody up.
func TestPrompts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := local(t, "")
	server.Roles = []agent.Role{agent.RoleReviewer}
	w.start(t, server)
	w.becomes(t, agent.ServerReady)
	ana, rex := agent.Viewer{Role: agent.RoleUser}, agent.Viewer{Role: agent.RoleReviewer}
	if got := w.servers.Prompts(t.Context(), ana); len(got.Items) != 0 || w.servers.HasPrompts(ana) {
		t.Errorf("somebody who may not use the server is offered %+v", got)
	}
	got := w.servers.Prompts(t.Context(), rex)
	if len(got.Items) != 2 || !w.servers.HasPrompts(rex) || got.Items[1].Title != "Greet somebody" || !got.Items[1].Arguments[0].Required {
		t.Fatalf("offered %+v", got)
	}
	for _, row := range []struct {
		who        agent.Viewer
		name, arg  string
		want, says string
		code       agent.Code
	}{
		{rex, "greet", "Bo", "Greet Bo.\n\n[image image/png, 5 bytes]", "", ""},
		{rex, "greet", "", "", "whom?", agent.Invalid},
		{rex, "endless", "", "", "at most 65536", agent.Invalid},
		{rex, "unknown", "", "", "mad does not give this prompt", agent.Invalid},
		{ana, "greet", "Bo", "", "no such prompt", agent.NotFound},
	} {
		text, err := w.servers.Prompt(t.Context(), row.who, "mad", row.name, map[string]string{"who": row.arg})
		if text != row.want || agent.CodeOf(err) != row.code || err != nil && !strings.Contains(agent.MessageOf(err), row.says) {
			t.Errorf("%s %q: %q %v", row.name, row.arg, text, err)
		}
	}

	w.asks(t, "one", "mad__stop", nil)
	agenttest.Eventually(t, "a server that has stopped", func() bool { return w.notes(t) == "stopped\n" })
	w.clock.Advance(promptsTime) // for the lists of before
	listed := make(chan agent.ServerPrompts, 1)
	go func() { listed <- w.servers.Prompts(t.Context(), rex) }()
	w.clock.Outwait(t, promptsTime)
	if got := agenttest.Receive(t, "the list", listed); len(got.Silent) != 1 || len(got.Items) != 0 {
		t.Errorf("with a server that hangs: %+v", got)
	}
}
