package live

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

// New makes the presenter of a conversation for one viewer: who may
// not decide does not get the forms.
func (s *Presenters) New(ctx context.Context, v agent.Viewer, conv agent.Conversation) *present.Presenter {
	p := present.NewFold(text.In(ctx), conv, conv.OwnerID == v.UserID || v.Role == agent.RoleAdmin, func(a agent.Approval) bool {
		return s.Runs.MayDecide(v, a)
	})
	p.TokensOnly = s.Visibility.TokensOnly(v)
	p.Owns, p.Viewer, p.Schema, p.Zone = conv.OwnerID == v.UserID, v, s.Cards.SchemaOf, s.Zone
	if s.Guards.Critical > 0 {
		p.LoopLimit = s.Guards.Critical
	}
	return p
}

// Presenters make presenters of conversations.
type Presenters struct {
	Cards      *Cards
	Runs       *service.Runs
	Guards     agent.GuardSettings
	Visibility *request.Visibility
	Zone       *time.Location
}
