package store

import (
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// treeSpending is what the runs of a tree have taken of the limits of those above them.
type treeSpending map[string]treeRun

// treeRun is one run of a tree, with what its call under way has reserved.
type treeRun struct {
	agent.Run
	reservedTokens, reservedMicros int64
}

// readTreeSpending reads what a run shares with the others of its tree.
func readTreeSpending(t *sqlite.Tx, run agent.Run) (treeSpending, error) {
	tree := treeSpending{}
	err := t.Each(func(r sqlite.Scanner) error {
		other := treeRun{Run: agent.Run{ConversationID: run.ConversationID}}
		var usage, limits, state string
		err := r.Scan(&other.ID, &other.Lineage.ParentRunID, &other.Status, &usage, &other.CostMicros, &limits, &state, &other.reservedTokens, &other.reservedMicros)
		if err != nil {
			return err
		}
		err = errors.Join(fromJSON(usage, &other.Usage), fromJSON(limits, &other.Limits))
		if other.ID == run.RootID() {
			err = errors.Join(err, fromJSON(state, &other.State))
		}
		tree[other.ID] = other
		return err
	}, `SELECT r.id, r.parent_run_id, r.status, r.usage, r.cost_micros, r.limits, CASE WHEN r.id = $1 THEN r.state ELSE '' END, COALESCE(v.tokens, 0), COALESCE(v.micros, 0)
		FROM runs r LEFT JOIN reservations v ON v.run_id = r.id WHERE `+ofTree, run.RootID())
	return tree, err
}

// line is the way up from a run to its root, both included.
func (s treeSpending) line(runID string) []agent.Run {
	var line []agent.Run
	for r, ok := s[runID]; ok && len(line) <= agent.MaxDepth; r, ok = s[r.Lineage.ParentRunID] {
		line = append(line, r.Run)
	}
	return line
}

// share is a limit of a run as it stands for the run and all below it, where one of them
// asks. Sharers are those that may make a model call now and have reserved nothing, the one
// that asks included.
func (s treeSpending) share(b agent.BudgetStatus, top, asks string) agent.BudgetStatus {
	var tokens, micros int64
	b.Sharers = 1
	for _, r := range s {
		if !slices.ContainsFunc(s.line(r.ID), func(above agent.Run) bool { return above.ID == top }) {
			continue
		}
		tokens, micros = tokens+r.Usage.Total(), micros+r.CostMicros
		if r.ID == asks {
			continue
		}
		b.ReservedTokens, b.ReservedMicros = b.ReservedTokens+r.reservedTokens, b.ReservedMicros+r.reservedMicros
		if r.reservedTokens == 0 && (r.Status == agent.StatusRunning || r.Status == agent.StatusQueued) {
			b.Sharers++
		}
	}
	if b.Who == agent.WhoRun {
		b.UsedTokens, b.UsedMicros = tokens, micros
	}
	return b
}
