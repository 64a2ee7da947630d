package store_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// article is a workflow whose steps need what a sequence says, nothing, and each other.
func article(purpose string) agent.Workflow {
	return agent.Workflow{
		Name: "article", Purpose: purpose, Kind: agent.FlowSequence,
		Inputs: []agent.WorkflowInput{{Name: "topic", Label: "Topic", Type: "string", Required: true}},
		Steps: []agent.WorkflowStep{
			{Name: "find", Agent: "researcher", Task: "Find.\nCite.", Outputs: map[string]string{"sources": "array"}, Retries: 1, Fallback: "analyst"},
			{Name: "look", Agent: "analyst", Task: "Look.", Needs: []string{}},
			{Name: "choose", Person: agent.PersonChooses, Task: "Which?", Options: []string{"a", "b"}, Needs: []string{"find", "look"}},
		},
	}
}

// TestWorkflowVersions: each change makes a version, all stay, and the audit log has who made which.
func TestWorkflowVersions(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	made, err := s.CreateWorkflow(ctx, agentAdmin, article("Writes."))
	check(t, err)
	want := article("Writes.")
	want.Version, want.Source, want.UpdatedBy, want.UpdatedAt = 1, agent.AgentByAdmin, agentAdmin.Email, agent.Stamp(clock)
	stored, err := s.Workflow(ctx, "article", 0)
	check(t, err)
	if diff := cmp.Diff([]agent.Workflow{want, want}, []agent.Workflow{made, *stored}); diff != "" {
		t.Error(diff)
	}
	if _, err := s.CreateWorkflow(ctx, agentAdmin, article("Another.")); agent.MessageOf(err) != "There is a workflow named article already. Edit that one, or choose another name." {
		t.Errorf("a name that is taken: %v", err)
	}
	second := article("Writes well.")
	second.Version, second.Steps[1].Needs = 1, nil
	changed, err := s.UpdateWorkflow(ctx, agentAdmin, second)
	check(t, err)
	if same, err := s.UpdateWorkflow(ctx, agentAdmin, changed); err != nil || same.Version != 2 {
		t.Errorf("what says the same makes version %d, %v", same.Version, err)
	}
	if _, err := s.UpdateWorkflow(ctx, agentAdmin, second); agent.MessageOf(err) != "The workflow article was changed meanwhile: its newest version is 2. Look at it and save again." {
		t.Errorf("a change of an old version: %v", err)
	}
	check(t, s.DeleteWorkflow(ctx, agentAdmin, "article"))
	for what, err := range map[string]error{
		"read":    errorOf(s.Workflow(ctx, "article", 0)),
		"change":  errorOf(s.UpdateWorkflow(ctx, agentAdmin, changed)),
		"delete":  s.DeleteWorkflow(ctx, agentAdmin, "article"),
		"unknown": errorOf(s.WorkflowVersions(ctx, "nothing")),
		"version": errorOf(s.Workflow(ctx, "article", 3)),
	} {
		if agent.CodeOf(err) != agent.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	deleted, err := s.DeletedWorkflows(ctx)
	check(t, err)
	versions, err := s.WorkflowVersions(ctx, "article")
	check(t, err)
	if diff := cmp.Diff([]agent.Workflow{changed, made}, versions); diff != "" || !cmp.Equal(deleted, []string{"article"}) {
		t.Error(diff, deleted)
	}
	rows, _, err := s.AuditRows(ctx, agent.AuditFilter{Action: "workflow."}, agent.Page{})
	check(t, err)
	var said []string
	for _, r := range rows {
		said = append(said, fmt.Sprintf("%s %s %s %s", r.Actor, r.Action, r.Target, r.Detail))
	}
	if diff := cmp.Diff([]string{
		`ada@example.org workflow.delete article {"source":"admin","version":2}`,
		`ada@example.org workflow.update article {"source":"admin","version":2}`,
		`ada@example.org workflow.create article {"source":"admin","version":1}`,
	}, said); diff != "" {
		t.Error(diff)
	}
}

// TestWorkflowSeeds: a workflow of the configuration takes the place of a shipped one, and is
// changed there alone.
func TestWorkflowSeeds(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	ctx := t.Context()
	check(t, s.SeedWorkflows(ctx, nil, []agent.Workflow{article("Ships.")}))
	check(t, s.SeedWorkflows(ctx, []agent.Workflow{article("File.")}, []agent.Workflow{article("Ships.")}))
	w, err := s.Workflow(ctx, "article", 0)
	check(t, err)
	if w.Version != 2 || w.Source != agent.AgentConfigured || w.Purpose != "File." {
		t.Errorf("%+v", w)
	}
	if err := s.DeleteWorkflow(ctx, agentAdmin, "article"); agent.MessageOf(err) != "The workflow article is in the configuration file. Change the table [workflows.article] there and start the server again." {
		t.Errorf("a deletion of a configured workflow: %v", err)
	}
}

// TestConversationWorkflow: a conversation keeps its workflow with what was filled in; one that
// is deleted is none, and named. A run remembers both.
func TestConversationWorkflow(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	owner := agent.Viewer{UserID: "u", Role: agent.RoleUser}
	seed(t, s, clock)
	inputs := map[string]json.RawMessage{"topic": json.RawMessage(`"tea"`)}
	_, err := s.CreateWorkflow(ctx, agentAdmin, article("Writes."))
	check(t, err)
	check(t, s.CreateConversation(ctx, agent.Conversation{ID: "w", OwnerID: "u", Workflow: "article", Inputs: inputs}))
	conv, err := s.Conversation(ctx, owner, "w")
	check(t, err)
	if conv.Workflow != "article" || !cmp.Equal(conv.Inputs, inputs) {
		t.Errorf("%q, %s", conv.Workflow, conv.Inputs)
	}
	_, err = s.Enqueue(ctx, agent.NewMessage{
		ConversationID: "w", UserID: "u", MessageID: "mw", RunID: "rw", Content: "Hi", Model: "m", Workflow: "article", WorkflowVersion: 1, WorkflowInputs: inputs,
	})
	check(t, err)
	run, err := s.Run(ctx, owner, "rw")
	check(t, err)
	if diff := cmp.Diff(&agent.WorkflowRun{Name: "article", Version: 1, Inputs: inputs}, run.State.Workflow); diff != "" {
		t.Error(diff)
	}
	check(t, s.DeleteWorkflow(ctx, agentAdmin, "article"))
	conv, err = s.UpdateConversation(ctx, owner, "w", agent.ConversationPatch{Inputs: &map[string]json.RawMessage{}})
	check(t, err)
	if conv.Workflow != "" || conv.DeletedWorkflow != "article" || conv.Inputs != nil {
		t.Errorf("%q, %q, %s", conv.Workflow, conv.DeletedWorkflow, conv.Inputs)
	}
}
