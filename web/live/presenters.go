package live

import (
	"context"
	"slices"
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
		return s.Approvals.MayDecide(v, a)
	})
	p.TokensOnly = s.Visibility.TokensOnly(v)
	p.Owns, p.Viewer, p.Schema, p.Zone = conv.OwnerID == v.UserID, v, s.Cards.SchemaOf, s.Zone
	if s.Guards.Critical > 0 {
		p.LoopLimit = s.Guards.Critical
	}
	p.Budgets, p.Flows = s.budgetsOf(ctx, conv.OwnerID), s.flows(context.WithoutCancel(ctx)) // a socket outlives its request
	return p
}

// flows reads each workflow once.
func (s *Presenters) flows(ctx context.Context) present.Flows {
	type version struct {
		name string
		n    int
	}
	type flow struct {
		agent.Workflow
		limit func(string) int64
	}
	known := map[version]*flow{}
	return func(name string, n int) (w agent.Workflow, limit func(string) int64, ok bool) {
		of := known[version{name, n}]
		if of == nil {
			w, limit, err := service.FlowOf(ctx, s.Store, name, n)
			if err != nil { // the page goes without its steps
				return w, limit, false
			}
			of = &flow{w, limit}
			known[version{name, n}] = of
		}
		return of.Workflow, of.limit, true
	}
}

// Away has the page tell of the run that works on another branch than its own.
func (s *Presenters) Away(ctx context.Context, p *present.Presenter, conversationID string) error {
	run, err := s.Store.ActiveRun(ctx, conversationID)
	if err == nil {
		p.SetAway(run)
	}
	if agent.CodeOf(err) == agent.NotFound {
		return nil
	}
	return err
}

// budgetsOf are the budgets that limit a person's runs. Without them the page shows the
// run's own limits.
func (s *Presenters) budgetsOf(ctx context.Context, userID string) []agent.BudgetStatus {
	all, err := s.Store.BudgetStatusesOf(ctx, userID)
	if err != nil {
		return nil
	}
	// Nobody but the run keeps account of those of its conversation.
	return slices.DeleteFunc(all, func(b agent.BudgetStatus) bool { return b.Who == agent.WhoConversation })
}

// Presenters make presenters of conversations.
type Presenters struct {
	Store      service.Store
	Cards      *Cards
	Approvals  *service.Approvals
	Guards     agent.GuardSettings
	Visibility *request.Visibility
	Zone       *time.Location
}
