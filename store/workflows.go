package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Workflows keeps the definitions of workflows, with all their versions.
type Workflows struct{ *core }

var workflowDefinitions = definitions[agent.Workflow]{
	noun: "workflow", most: agent.MaxWorkflows,
	created: "workflow.create", updated: "workflow.update", removed: "workflow.delete",
	says: struct{ none, taken, full, changed, configured string }{
		none:       "There is no workflow named %s.",
		taken:      "There is a workflow named %s already. Edit that one, or choose another name.",
		full:       "There are %d workflows already, as many as there may be. Delete one first.",
		changed:    "The workflow %s was changed meanwhile: its newest version is %d. Look at it and save again.",
		configured: "The workflow %s is in the configuration file. Change the table [workflows.%s] there and start the server again.",
	},
	head: func(w *agent.Workflow) head {
		return head{&w.Name, &w.Version, &w.Source, &w.UpdatedBy, &w.UpdatedAt}
	},
}

// Workflows are those there are, by name.
func (s *Workflows) Workflows(ctx context.Context) ([]agent.Workflow, error) {
	return sqlite.List(ctx, s.db, workflowDefinitions.scan, workflowDefinitions.sorted())
}

// DeletedWorkflows are the names of those that were deleted.
func (s *Workflows) DeletedWorkflows(ctx context.Context) ([]string, error) {
	return workflowDefinitions.deleted(ctx, s.core)
}

// Workflow is like Agent.
func (s *Workflows) Workflow(ctx context.Context, name string, version int) (*agent.Workflow, error) {
	return workflowDefinitions.get(ctx, s.db, name, version)
}

// WorkflowVersions are like AgentVersions.
func (s *Workflows) WorkflowVersions(ctx context.Context, name string) ([]agent.Workflow, error) {
	return workflowDefinitions.history(ctx, s.core, name)
}

// CreateWorkflow is like CreateAgent.
func (s *Workflows) CreateWorkflow(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error) {
	return workflowDefinitions.create(ctx, s.core, v, w)
}

// UpdateWorkflow is like UpdateAgent.
func (s *Workflows) UpdateWorkflow(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error) {
	return workflowDefinitions.update(ctx, s.core, v, w)
}

// DeleteWorkflow is like DeleteAgent.
func (s *Workflows) DeleteWorkflow(ctx context.Context, v agent.Viewer, name string) error {
	return workflowDefinitions.remove(ctx, s.core, v, name)
}

// SeedWorkflows is like SeedAgents.
func (s *Workflows) SeedWorkflows(ctx context.Context, configured, shipped []agent.Workflow) error {
	return workflowDefinitions.seed(ctx, s.core, configured, shipped)
}

// workflowName is that of the workflow by which a run works, "" for none.
func workflowName(run string) string {
	return `COALESCE(json_extract(` + run + `.state, '$.workflow.name'), '')`
}
