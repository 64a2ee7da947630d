package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
)

// readTree adds the other runs of the tree for those who may open all of them. What waits in
// the runs below waits for this one, too.
func (s *RunRecords) readTree(ctx context.Context, rec *runRecord) error {
	if rec.href == "" {
		return nil
	}
	tree, err := s.Store.Tree(ctx, rec.run.RootID())
	if err != nil {
		return err
	}
	for _, r := range tree {
		if rec.tokensOnly {
			r = present.RunWithoutMoney(r)
		}
		rec.tree = append(rec.tree, r)
	}
	for _, r := range runsBelow(tree, rec.run.ID) {
		if r.Status.Ended() {
			continue
		}
		open, err := s.Store.PendingApprovalIDs(ctx, r.ID)
		if err != nil {
			return err
		}
		rec.open = append(rec.open, open...)
	}
	return nil
}

// flowProps are the steps of the workflow that the run works by, none for any other run, and for those
// who may not open the chat.
func (s *RunRecords) flowProps(ctx context.Context, v agent.Viewer, r *runRecord) (part.Flow, error) {
	if r.href == "" {
		return part.Flow{}, nil
	}
	p, err := service.ProgressOf(ctx, s.Store, r.run, r.tree)
	if p == nil || err != nil {
		return part.Flow{}, err
	}
	return present.FlowOf(r.text, "flow", r.run, *p, present.FlowFor{Owns: r.run.UserID == v.UserID, TokensOnly: r.tokensOnly}), nil
}

// treeProps are the runs of the tree with their sums; nothing for a run alone.
func (r *runRecord) treeProps(tr *text.Printer) page.RunTree {
	if len(r.tree) < 2 {
		return page.RunTree{}
	}
	tree := page.RunTree{NoMoney: r.tokensOnly}
	root := r.tree[0]
	rows := append([]agent.Run{root}, runsBelow(r.tree, root.ID)...)
	for _, run := range rows {
		row := r.sumRow(tr, present.AgentName(tr, run.WorksBy()), []agent.Run{run})
		row.Depth, row.Href, row.Here = run.Lineage.Depth, "/runs/"+run.ID, run.ID == r.run.ID
		row.Status, row.Tone = string(run.Status), statusTone(run)
		if run.Status.Ended() {
			row.Ended = present.ChildEnd(tr, run.Status, run.StopReason, run.AbortBy == agent.System)
		}
		tree.Rows = append(tree.Rows, row)
	}
	for _, name := range agentsOf(rows) {
		own := slices.DeleteFunc(slices.Clone(rows), func(run agent.Run) bool { return run.WorksBy() != name })
		row := r.sumRow(tr, present.AgentName(tr, name), own)
		row.Runs = len(own)
		tree.Agents = append(tree.Agents, row)
	}
	tree.Whole = r.sumRow(tr, "", rows)
	tree.Whole.Runs = len(rows)
	return tree
}

// agentsOf are the agents that runs work by, in the order of the runs.
func agentsOf(runs []agent.Run) (names []string) {
	for _, run := range runs {
		if name := run.WorksBy(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// sumRow adds up what runs have taken.
func (r *runRecord) sumRow(tr *text.Printer, name string, runs []agent.Run) page.RunTreeRow {
	var steps int
	var tokens, cost int64
	var active time.Duration
	for _, run := range runs {
		steps, tokens, cost, active = steps+run.Steps, tokens+run.Usage.Total(), cost+run.CostMicros, active+run.Active
	}
	return page.RunTreeRow{
		Agent: name, Steps: fmt.Sprint(steps), Tokens: tr.Amount(tokens), ExactTokens: fmt.Sprint(tokens),
		Cost: present.Money(cost), ExactCost: present.ExactMoney(tr, cost), Time: present.Seconds(active),
	}
}

// path leads from the root to the run, which is not in it; nothing for a root.
func (r *runRecord) path(tr *text.Printer) (path []page.RunLink) {
	for id := r.run.Lineage.ParentRunID; id != ""; {
		i := slices.IndexFunc(r.tree, func(run agent.Run) bool { return run.ID == id })
		if i < 0 {
			break
		}
		path = append(path, page.RunLink{Name: present.AgentName(tr, r.tree[i].WorksBy()), Href: "/runs/" + id})
		id = r.tree[i].Lineage.ParentRunID
	}
	slices.Reverse(path)
	return path
}

// caller names the run that handed the task over, "" for the run of a person.
func (r *runRecord) caller(tr *text.Printer) string {
	if path := r.path(tr); len(path) > 0 {
		return path[len(path)-1].Name
	}
	return ""
}

// waitsForRuns says for which runs a paused run waits, "" where it waits for none.
func (r *runRecord) waitsForRuns(tr *text.Printer) string {
	var names []string
	for _, run := range r.tree {
		if run.Lineage.ParentRunID == r.run.ID && !run.Status.Ended() {
			names = append(names, present.AgentName(tr, run.WorksBy()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return tr.T("page.run.paused_children", present.JoinNames(tr, names))
}

// spentBelow is what the runs below the run have taken.
func (r *runRecord) spentBelow() (tokens, cost int64) {
	for _, run := range runsBelow(r.tree, r.run.ID) {
		tokens, cost = tokens+run.Usage.Total(), cost+run.CostMicros
	}
	return tokens, cost
}

// workedBy names the agent or the workflow that the run works by, "" for none.
func (r *runRecord) workedBy(tr *text.Printer) string {
	if flow := r.run.State.Workflow; flow != nil {
		return tr.T("page.run.workflow", flow.Name, flow.Version)
	}
	if r.run.Agent == "" {
		return ""
	}
	return tr.T("page.run.agent", present.AgentName(tr, r.run.Agent), cmp.Or(r.run.AgentVersion, 1))
}

// sentence says what state the run is in and why, in words.
func (r *runRecord) sentence(tr *text.Printer) string {
	switch r.run.Status {
	case agent.StatusQueued:
		if r.place > 0 {
			return present.QueuePlace(tr, r.place)
		}
		return tr.T("page.run.queued")
	case agent.StatusRunning:
		return tr.T("page.run.running")
	case agent.StatusPaused:
		return r.waitsFor(tr)
	case agent.StatusFinished, agent.StatusStopped, agent.StatusFailed, agent.StatusAborted:
	}
	for _, e := range r.events {
		if f, ok := e.Data.(agent.Finish); ok && f.Message != "" {
			return tr.T("page.run.ended", present.EndHead(tr, f.StopReason), tr.Recorded(f.Message))
		}
	}
	return tr.T("common.sentence", present.EndHead(tr, r.run.StopReason))
}

// waitsFor repeats what the newest open approval asks.
func (r *runRecord) waitsFor(tr *text.Printer) string {
	if waits := r.waitsForRuns(tr); waits != "" {
		return waits
	}
	said := ""
	for _, e := range r.events {
		if a, ok := e.Data.(agent.ApprovalRequestedEvent); ok {
			said = a.Message
		}
	}
	if said == "" {
		return tr.T("page.run.paused")
	}
	return tr.T("page.run.paused_for", tr.Recorded(said))
}

// statusTone colours a run's status; a stop never looks like success.
func statusTone(run agent.Run) string {
	switch run.Status {
	case agent.StatusFinished:
		return "good"
	case agent.StatusPaused, agent.StatusAborted:
		return "warm"
	case agent.StatusStopped, agent.StatusFailed:
		return "tripped"
	default:
		return "accent"
	}
}
