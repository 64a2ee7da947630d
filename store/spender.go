package store

import (
	"errors"

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
