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

// Workflow is a workflow as it is for version 0, else that version of one that may have been
// deleted since. NotFound where there is none.
func (s *Workflows) Workflow(ctx context.Context, name string, version int) (*agent.Workflow, error) {
	return workflowDefinitions.get(ctx, s.db, name, version)
}

// WorkflowVersions are the newest versions of a workflow, which may have been deleted, the
// newest first.
func (s *Workflows) WorkflowVersions(ctx context.Context, name string) ([]agent.Workflow, error) {
	return workflowDefinitions.history(ctx, s.core, name)
}

// CreateWorkflow adds a workflow; versions of one that had the name before go on counting.
// Conflict where the name is taken, or there are as many as there may be.
func (s *Workflows) CreateWorkflow(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error) {
	return workflowDefinitions.create(ctx, s.core, v, w)
}

// UpdateWorkflow makes a new version of a workflow whose newest one is the one given; what
// says the same as that makes none. NotFound where there is none, Conflict where somebody
// else has changed it, or the configuration has it.
func (s *Workflows) UpdateWorkflow(ctx context.Context, v agent.Viewer, w agent.Workflow) (agent.Workflow, error) {
	return workflowDefinitions.update(ctx, s.core, v, w)
}

// DeleteWorkflow ends a workflow; its versions can still be read. Errors are those of
// UpdateWorkflow, apart from the version.
func (s *Workflows) DeleteWorkflow(ctx context.Context, v agent.Viewer, name string) error {
	return workflowDefinitions.remove(ctx, s.core, v, name)
}

// SeedWorkflows takes over, at start, what the configuration says and the program ships, as
// SeedAgents does.
func (s *Workflows) SeedWorkflows(ctx context.Context, configured, shipped []agent.Workflow) error {
	return workflowDefinitions.seed(ctx, s.core, configured, shipped)
}

// workflowName is that of the workflow by which a run works, "" for none.
func workflowName(run string) string {
	return `COALESCE(json_extract(` + run + `.state, '$.workflow.name'), '')`
}
