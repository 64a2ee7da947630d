package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/eventlog"
	"fusebox/store/sqlite"
)

// waitingRun is a run that no process works on, because it waits for a person.
const waitingRun = `SELECT ` + runColumns + ` FROM runs r WHERE r.id = $1 AND r.status = 'paused'`

// ChangePlan gives a run that waits a person's plan; see service.RunStore.
func (s *Runs) ChangePlan(ctx context.Context, runID, by string, steps []agent.PlanStep) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		run, err := scanRun(t.Row(waitingRun, runID))
		if agent.CodeOf(sqlite.NotFound(err, agent.NoRun)) == agent.NotFound {
			return agent.Errorf(agent.Conflict, "This run does not wait for a person now. Its plan can be changed while it does.")
		}
		if err != nil {
			return err
		}
		run.ChangePlan(by, steps)
		if err := updateRun(t, run.Status, run); err != nil {
			return err
		}
		told := agent.Event{RunID: run.ID, Step: run.Steps, Data: agent.PlanEvent{Steps: steps}}
		if _, err := eventlog.Append(t, run.ConversationID, []agent.Event{told}); err != nil {
			return err
		}
		return addAudit(ctx, t, by, "run.plan", run.ID, string(agent.MustJSON(map[string]any{"conversation": run.ConversationID, "plan": steps})))
	})
}
