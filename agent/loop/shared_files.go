package loop

import (
	"context"
	"encoding/json"
	"slices"

	"fusebox/agent"
)

// sharedFiles are the files that the run shares with the others of its tree, nil for a run
// alone: one that was not handed its task, and has handed over none.
func (ex *executor) sharedFiles() *agent.SharedFiles {
	handsOver := func(c agent.ToolCall) bool { return isDelegation(c) && c.Attempt > 0 }
	if !ex.run.Lineage.IsChild() && !slices.ContainsFunc(ex.calls.list, handsOver) {
		return nil
	}
	own, root := ex.run.ID, ex.run.RootID()
	return &agent.SharedFiles{Known: ex.run.State.Files, Written: func(ctx context.Context) ([]agent.FileWrite, error) {
		return ex.writtenBeside(ctx, own, root)
	}}
}

// writtenBeside lists what the other runs of a tree have written, newest first. Calls at work
// are read first: one that ends meanwhile is found among what was written, perhaps twice.
func (ex *executor) writtenBeside(ctx context.Context, own, root string) (writes []agent.FileWrite, err error) {
	atWork, err := ex.journal.CallsAtWork(ctx, root)
	if err != nil {
		return nil, err
	}
	runs, err := ex.journal.Tree(ctx, root)
	if err != nil {
		return nil, err
	}
	by := map[string]string{}
	for _, r := range runs {
		if by[r.ID] = "agent " + r.Agent; r.Agent == "" {
			by[r.ID] = "the agent that handed out the tasks"
		}
	}
	for _, c := range atWork {
		var args struct{ Path string }
		spec, _ := ex.tools.Lookup(c.Name)
		if c.RunID != own && spec.Set == agent.FileTools && spec.Effect == agent.EffectWrite && json.Unmarshal(agent.RawArgs(c.Args), &args) == nil {
			writes = append(writes, agent.FileWrite{By: by[c.RunID], Path: args.Path})
		}
	}
	var over []agent.FileWrite
	for _, r := range runs {
		for _, f := range r.State.Files {
			if r.ID != own && !f.WroteAt.IsZero() {
				over = append(over, agent.FileWrite{By: by[r.ID], Path: f.Path, At: f.WroteAt})
			}
		}
	}
	slices.SortStableFunc(over, func(a, b agent.FileWrite) int { return b.At.Compare(a.At) })
	return append(writes, over...), nil
}
