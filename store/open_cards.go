package store

import "fusebox/agent"

// mayAskMore refuses a new run of a person whose runs wait for as many approvals as may be
// open: more would only bury those that others have to find. It holds nothing back of runs
// that have begun.
func (c *core) mayAskMore(t *tx, userID string) error {
	if c.approvalsPerUser == 0 {
		return nil
	}
	var open int
	if err := t.row(openApprovals, userID).Scan(&open); err != nil || open < c.approvalsPerUser {
		return err
	}
	return agent.Errorf(agent.Conflict,
		"%d of your approvals wait for a decision, and no new run starts meanwhile. Decide some of them or stop their runs, then try again.", open)
}

const openApprovals = `SELECT COUNT(*) FROM approvals WHERE status = 'pending' AND user_id = $1`
