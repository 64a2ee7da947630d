package web

import (
	"context"

	"fusebox/agent"
)

// audit writes down who did what to which thing.
func (s *Server) audit(ctx context.Context, v agent.Viewer, action, target, detail string) error {
	return s.Store.Audit(ctx, agent.AuditRow{
		ID: s.NewID(), At: s.Clock.Now(), Actor: v.Email, Action: action, Target: target, Detail: detail,
	})
}
