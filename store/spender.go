package store

import (
	"errors"
	"slices"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// spender is whose spending a model call is.
type spender struct {
	run   agent.Run
	group string
	// tree is what the run shares with others of its tree, nil where it is alone.
	tree treeSpending
}

// spenderOf reads a run's figures and limits, and its user's group.
func spenderOf(t *sqlite.Tx, runID string) (spender, error) {
	var s spender
	var usage, limits string
	var descendants int
	err := t.Row(`SELECT r.id, r.epoch, r.status, r.conversation_id, r.user_id, r.usage, r.cost_micros, r.limits, r.root_run_id, r.agent, r.descendants, COALESCE(u.group_name, '')
		FROM runs r LEFT JOIN users u ON u.id = r.user_id WHERE r.id = $1`, runID).
		Scan(&s.run.ID, &s.run.Epoch, &s.run.Status, &s.run.ConversationID, &s.run.UserID, &usage, &s.run.CostMicros, &limits, &s.run.Lineage.RootRunID, &s.run.Agent, &descendants, &s.group)
	if err != nil {
		return s, sqlite.NotFound(err, agent.NoRun)
	}
	err = errors.Join(fromJSON(usage, &s.run.Usage), fromJSON(limits, &s.run.Limits))
	if err == nil && (descendants > 0 || s.run.Lineage.RootRunID != "") {
		s.tree, err = readTreeSpending(t, s.run)
	}
	return s, err
}

// personOf is a spender without a run. NotFound where there is no such account.
func personOf(t *sqlite.Tx, userID string) (who spender, err error) {
	who.run.UserID = userID
	err = t.Row(`SELECT group_name FROM users WHERE id = $1`, userID).Scan(&who.group)
	return who, sqlite.NotFound(err, "There is no such account.")
}

// ownBudgets are those that come with the run, and with those above it: each counts for all
// below. The nearest comes first, for no person has to be asked about one of an agent.
func ownBudgets(t *sqlite.Tx, who spender) ([]agent.BudgetStatus, error) {
	line := []agent.Run{who.run}
	if who.tree != nil {
		line = who.tree.line(who.run.ID)
	}
	var all []agent.BudgetStatus
	for _, r := range line {
		var conversation int64
		if r.Limits.ConversationTokens > 0 {
			err := t.Row(`SELECT COALESCE(SUM(input_tokens + output_tokens), 0) FROM usage WHERE conversation_id = $1`, r.ConversationID).Scan(&conversation)
			if err != nil {
				return nil, err
			}
		}
		for _, b := range agent.OwnBudgets(r, conversation) {
			if who.tree != nil {
				b = who.tree.share(b, r.ID, who.run.ID)
			}
			all = append(all, b)
		}
	}
	return all, nil
}

// subjectOf is the subject that a call counts for in a budget.
func (w spender) subjectOf(who agent.BudgetWho) string {
	switch who {
	case agent.WhoRun:
		return w.run.RootID()
	case agent.WhoConversation:
		return w.run.ConversationID
	case agent.WhoUser:
		return w.run.UserID
	case agent.WhoGroup:
		return w.group
	default:
		return ""
	}
}

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
