package service

import (
	"context"
	"slices"

	"fusebox/agent"
	"fusebox/agent/workflow"
)

// ProgressReader reads what there is of the steps of a workflow's run. The caller has checked the viewer.
type ProgressReader interface {
	FlowReader
	// Tree are the runs of a tree, the root first, then oldest first.
	Tree(ctx context.Context, rootRunID string) ([]agent.Run, error)
	ToolCalls(ctx context.Context, runID string) ([]agent.ToolCall, error)
	// AskingRuns are the runs of a tree that have open approvals.
	AskingRuns(ctx context.Context, rootRunID string) ([]string, error)
}

// ProgressOf says how the steps of a run stand that works by a workflow, given the runs of its tree;
// nil for any other run. The caller has checked the viewer.
func ProgressOf(ctx context.Context, from ProgressReader, run agent.Run, tree []agent.Run) (*workflow.Progress, error) {
	flow := run.State.Workflow
	if flow == nil {
		return nil, nil
	}
	w, limit, err := FlowOf(ctx, from, flow.Name, flow.Version)
	if agent.CodeOf(err) == agent.NotFound {
		return &workflow.Progress{Steps: []workflow.Step{}, CostMicros: run.CostMicros}, nil
	}
	if err != nil {
		return nil, err
	}
	calls, err := from.ToolCalls(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	asking, err := from.AskingRuns(ctx, run.RootID())
	if err != nil {
		return nil, err
	}
	p := workflow.Watched{
		Workflow: w, Run: run, TakenOver: flow.TakenOver, Calls: calls, Limit: limit,
		Below: slices.DeleteFunc(slices.Clone(tree), func(r agent.Run) bool { return !r.Lineage.IsChild() }),
		Asks:  func(runID string) bool { return slices.Contains(asking, runID) },
	}.Progress()
	return &p, nil
}

// FlowOf is a version of a workflow, and what a run of each of its agents may cost as they are now; 0 where
// nothing limits it. NotFound where there is no such version.
func FlowOf(ctx context.Context, from FlowReader, name string, version int) (w agent.Workflow, limit func(name string) int64, err error) {
	found, err := from.Workflow(ctx, name, version)
	if err != nil {
		return w, nil, err
	}
	agents, err := from.Agents(ctx)
	if err != nil {
		return w, nil, err
	}
	limits := map[string]int64{}
	for _, a := range agents {
		limits[a.Name] = a.Limits.CostMicros
	}
	return *found, func(name string) int64 { return limits[name] }, nil
}
