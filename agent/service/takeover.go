package service

import (
	"context"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
)

// TakeOver ends a run with a person's text as its answer, whatever the run is doing. Its
// owner and admins may. Conflict where it has ended, or somebody has stopped it.
func (d *Runs) TakeOver(ctx context.Context, v agent.Viewer, runID, answer string) error {
	run, err := d.Store.Run(ctx, v, runID)
	if err != nil {
		return err
	}
	switch {
	case run.UserID != v.UserID && v.Role != agent.RoleAdmin:
		return agent.Errorf(agent.Forbidden, "Only the person who started this run, or an admin, can take it over.")
	case strings.TrimSpace(answer) == "":
		return agent.InvalidField("answer", "is empty; write the answer")
	case len(answer) > maxAnswer:
		return agent.InvalidField("answer", "has %d bytes; at most %d are allowed", len(answer), maxAnswer)
	case !utf8.ValidString(answer):
		return agent.InvalidField("answer", "is not valid UTF-8 text")
	}
	if err := d.Store.RequestTakeover(ctx, runID, v.Email, answer); err != nil {
		return err
	}
	d.Runner.TakeOver(runID, v.Email, answer)
	d.Runner.Wake()
	return nil
}
