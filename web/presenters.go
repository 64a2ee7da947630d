package web

import (
	"fusebox/agent"
	"fusebox/agent/service"
	"time"
)

// newPresenter makes the presenter of a conversation for one viewer: who may
// not decide does not get the forms.
func (s *presenters) newPresenter(v agent.Viewer, conv agent.Conversation) *presenter {
	p := newFold(conv, conv.OwnerID == v.UserID || v.Role == agent.RoleAdmin, func(a agent.Approval) bool {
		return s.Desk.MayDecide(v, a)
	})
	p.tokensOnly = s.Visibility.tokensOnly(v)
	p.owns, p.viewer, p.schema, p.zone = conv.OwnerID == v.UserID, v, s.Cards.schemaOf, s.Zone
	if s.Guards.Critical > 0 {
		p.loopLimit = s.Guards.Critical
	}
	return p
}

// presenters make presenters of conversations.
type presenters struct {
	Cards      *cards
	Desk       *service.Desk
	Guards     agent.GuardSettings
	Visibility *visibility
	Zone       *time.Location
}
