package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

var agentAdmin = agent.Viewer{UserID: "ada", Email: "ada@example.org", Role: agent.RoleAdmin}

// scout is an agent with a value in every field.
func scout(purpose string) agent.Agent {
	return agent.Agent{
		Name: "scout", Purpose: purpose, Instructions: "Look.\nTell.", Model: "m", Tools: []string{}, Mode: agent.ModeDefault,
		Limits: agent.AgentLimits{Steps: 1, DurationMS: 2, Tokens: 3, CostMicros: 4},
	}
}

func agentAudit(t *testing.T, s *store.Store) []string {
	t.Helper()
	rows, _, err := s.AuditRows(t.Context(), agent.AuditFilter{Action: "agent."}, agent.Page{})
	check(t, err)
	var said []string
	for _, r := range rows {
		said = append(said, fmt.Sprintf("%s %s %s %s", r.Actor, r.Action, r.Target, r.Detail))
	}
	return said
}

// TestAgentVersions: each change makes a version, all stay, and a name that is used again
// goes on counting.
func TestAgentVersions(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	made, err := s.CreateAgent(ctx, agentAdmin, scout("Looks."))
	check(t, err)
	want := scout("Looks.")
	want.Version, want.Source, want.UpdatedBy, want.UpdatedAt = 1, agent.AgentByAdmin, agentAdmin.Email, agent.Stamp(clock)
	if diff := cmp.Diff(want, made); diff != "" {
		t.Error(diff)
	}
	if _, err := s.CreateAgent(ctx, agentAdmin, scout("Another.")); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a name that is taken: %v", err)
	}
	second := scout("Looks around.")
	second.Version, second.Tools = 1, nil
	changed, err := s.UpdateAgent(ctx, agentAdmin, second)
	check(t, err)
	if same, err := s.UpdateAgent(ctx, agentAdmin, changed); err != nil || same.Version != 2 {
		t.Errorf("what says the same makes version %d, %v", same.Version, err)
	}
	if _, err := s.UpdateAgent(ctx, agentAdmin, second); agent.MessageOf(err) != "The agent scout was changed meanwhile: its newest version is 2. Look at it and save again." {
		t.Errorf("a change of an old version: %v", err)
	}
	all, err := s.Agents(ctx)
	check(t, err)
	if diff := cmp.Diff([]agent.Agent{changed}, all); diff != "" {
		t.Error(diff)
	}
	check(t, s.DeleteAgent(ctx, agentAdmin, "scout"))
	for what, err := range map[string]error{
		"read":    errorOf(s.Agent(ctx, "scout", 0)),
		"change":  errorOf(s.UpdateAgent(ctx, agentAdmin, changed)),
		"delete":  s.DeleteAgent(ctx, agentAdmin, "scout"),
		"unknown": errorOf(s.AgentVersions(ctx, "nobody")),
		"version": errorOf(s.Agent(ctx, "scout", 3)),
	} {
		if agent.CodeOf(err) != agent.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	old, err := s.Agent(ctx, "scout", 1)
	check(t, err)
	if diff := cmp.Diff(made, *old); diff != "" {
		t.Error(diff)
	}
	deleted, err := s.DeletedAgents(ctx)
	check(t, err)
	again, err := s.CreateAgent(ctx, agentAdmin, scout("Looks again."))
	check(t, err)
	versions, err := s.AgentVersions(ctx, "scout")
	check(t, err)
	if diff := cmp.Diff([]agent.Agent{again, changed, made}, versions); diff != "" || again.Version != 3 || !cmp.Equal(deleted, []string{"scout"}) {
		t.Error(diff, again.Version, deleted)
	}
	if diff := cmp.Diff([]string{
		`ada@example.org agent.create scout {"source":"admin","version":3}`,
		`ada@example.org agent.delete scout {"source":"admin","version":2}`,
		`ada@example.org agent.update scout {"source":"admin","version":2}`,
		`ada@example.org agent.create scout {"source":"admin","version":1}`,
	}, agentAudit(t, s)); diff != "" {
		t.Error(diff)
	}
}

// errorOf is the second of two results.
func errorOf[T any](_ T, err error) error { return err }

// TestAgentsAreBounded: there may be so many agents and no more.
func TestAgentsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	var many []agent.Agent
	for i := range agent.MaxAgents {
		a := scout("Looks.")
		a.Name = fmt.Sprintf("scout-%d", i)
		many = append(many, a)
	}
	check(t, s.SeedAgents(t.Context(), nil, many))
	if _, err := s.CreateAgent(t.Context(), agentAdmin, scout("Looks.")); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("one agent too many: %v", err)
	}
}

// TestAgentSeeds: what the program ships comes once and follows the program until somebody
// changes or deletes it; what the configuration says follows the configuration.
func TestAgentSeeds(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	ctx := t.Context()
	named := func(name, purpose string) agent.Agent {
		a := scout(purpose)
		a.Name = name
		return a
	}
	start := func(configured, shipped []agent.Agent, want ...string) {
		t.Helper()
		check(t, s.SeedAgents(ctx, configured, shipped))
		all, err := s.Agents(ctx)
		check(t, err)
		var got []string
		for _, a := range all {
			got = append(got, fmt.Sprintf("%s %d %s %s", a.Name, a.Version, a.Source, a.Purpose))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	first := []agent.Agent{named("a", "A."), named("b", "B."), named("c", "C.")}
	start(nil, first, "a 1 shipped A.", "b 1 shipped B.", "c 1 shipped C.")
	edited := named("b", "Ours.")
	edited.Version = 1
	_, err := s.UpdateAgent(ctx, agentAdmin, edited)
	check(t, err)
	check(t, s.DeleteAgent(ctx, agentAdmin, "c"))
	next := []agent.Agent{named("a", "A2."), named("b", "B2."), named("c", "C2.")}
	start(nil, next, "a 2 shipped A2.", "b 2 admin Ours.")
	start([]agent.Agent{named("b", "File."), named("d", "D.")}, next, "a 2 shipped A2.", "b 3 configuration File.", "d 1 configuration D.")
	start([]agent.Agent{named("b", "File."), named("d", "D2.")}, next, "a 2 shipped A2.", "b 3 configuration File.", "d 2 configuration D2.")
	edited.Version = 3
	if _, err := s.UpdateAgent(ctx, agentAdmin, edited); agent.MessageOf(err) != "The agent b is in the configuration file. Change the table [agents.b] there and start the server again." {
		t.Errorf("a change of a configured agent: %v", err)
	}
	if err := s.DeleteAgent(ctx, agentAdmin, "b"); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("a deletion of a configured agent: %v", err)
	}
	start(nil, next, "a 2 shipped A2.")
	if rows := agentAudit(t, s); len(rows) != 11 || rows[10] != `system agent.create a {"source":"shipped","version":1}` {
		t.Errorf("%d rows: %q", len(rows), rows)
	}
}

// TestConversationAgent: a conversation keeps its agent; one that is deleted is none, and named.
func TestConversationAgent(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	seed(t, s, clock)
	owner := agent.Viewer{UserID: "u", Role: agent.RoleUser}
	_, err := s.CreateAgent(ctx, agentAdmin, scout("Looks."))
	check(t, err)
	conv, err := s.UpdateConversation(ctx, owner, "c", agent.ConversationPatch{Agent: new("scout")})
	check(t, err)
	if conv.Agent != "scout" || conv.DeletedAgent != "" {
		t.Errorf("%q, %q", conv.Agent, conv.DeletedAgent)
	}
	check(t, s.DeleteAgent(ctx, agentAdmin, "scout"))
	conv, err = s.UpdateConversation(ctx, owner, "c", agent.ConversationPatch{Title: new("still")})
	check(t, err)
	if conv.Agent != "" || conv.DeletedAgent != "scout" {
		t.Errorf("%q, %q", conv.Agent, conv.DeletedAgent)
	}
}
