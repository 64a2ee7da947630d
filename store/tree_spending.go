package store

import (
	"errors"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// treeSpending is what the runs of a tree have taken of the limits of their root.
type treeSpending struct {
	root                           agent.Run
	usedTokens, usedMicros         int64
	reservedTokens, reservedMicros int64 // by the other runs
	// due is how many runs may make a model call now and have reserved nothing, the one that
	// asks included.
	due int64
}

// readTreeSpending reads what a run shares with the others of its tree.
func readTreeSpending(t *sqlite.Tx, run agent.Run) (*treeSpending, error) {
	s := &treeSpending{due: 1}
	err := t.Each(func(r sqlite.Scanner) error {
		var other agent.Run
		var usage, limits, state string
		var tokens, micros int64
		err := r.Scan(&other.ID, &other.Status, &usage, &other.CostMicros, &limits, &state, &tokens, &micros)
		if err != nil {
			return err
		}
		if err := fromJSON(usage, &other.Usage); err != nil {
			return err
		}
		s.usedTokens, s.usedMicros = s.usedTokens+other.Usage.Total(), s.usedMicros+other.CostMicros
		if other.ID == run.RootID() {
			other.ConversationID = run.ConversationID
			s.root = other
			err = errors.Join(fromJSON(limits, &s.root.Limits), fromJSON(state, &s.root.State))
		}
		if other.ID == run.ID {
			return err
		}
		s.reservedTokens, s.reservedMicros = s.reservedTokens+tokens, s.reservedMicros+micros
		if tokens == 0 && (other.Status == agent.StatusRunning || other.Status == agent.StatusQueued) {
			s.due++
		}
		return err
	}, `SELECT r.id, r.status, r.usage, r.cost_micros, r.limits, CASE WHEN r.id = $1 THEN r.state ELSE '' END, COALESCE(v.tokens, 0), COALESCE(v.micros, 0)
		FROM runs r LEFT JOIN reservations v ON v.run_id = r.id WHERE `+ofTree, run.RootID())
	return s, err
}

// share is a limit of the root as it stands for all of its tree.
func (s *treeSpending) share(b agent.BudgetStatus) agent.BudgetStatus {
	if b.Who == agent.WhoRun {
		b.UsedTokens, b.UsedMicros = s.usedTokens, s.usedMicros
	}
	b.ReservedTokens, b.ReservedMicros, b.Sharers = s.reservedTokens, s.reservedMicros, s.due
	return b
}
