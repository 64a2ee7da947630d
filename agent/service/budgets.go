package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fusebox/agent"
)

// Budgets are the commands about the budgets of admins.
type Budgets struct {
	Store  Store
	Models *Models
	Prices PriceBook
	Clock  agent.Clock
	NewID  agent.NewID
}

// BudgetInput are the fields of a budget that a person sets.
type BudgetInput struct {
	Who         agent.BudgetWho  `json:"who"`
	Subject     string           `json:"subject"`
	Span        agent.BudgetSpan `json:"window"`
	LimitTokens int64            `json:"limitTokens"`
	LimitMicros int64            `json:"limitMicros"`
	Soft        bool             `json:"soft"`
	AtLimit     agent.AtLimit    `json:"atLimit"`
	Model       string           `json:"model"`
}

// Add puts a budget in effect from the next model call on. Invalid for bad
// input, Conflict where there is one like it.
func (s *Budgets) Add(ctx context.Context, v agent.Viewer, in BudgetInput) (agent.Budget, error) {
	b := agent.Budget{ID: s.NewID(), Who: in.Who, Span: in.Span, CreatedBy: v.Email, CreatedAt: agent.Stamp(s.Clock)}
	if b.Span == "" && b.Who == agent.WhoRun {
		b.Span = agent.SpanRun
	}
	var err error
	if b.Subject, err = s.subject(ctx, in); err != nil {
		return b, err
	}
	if err := s.setLimits(&b, in); err != nil {
		return b, err
	}
	return b, s.Store.AddBudget(ctx, v, b)
}

// Change sets the limits of a budget that is as it was. Whom it bounds, and in
// which window, stays.
func (s *Budgets) Change(ctx context.Context, v agent.Viewer, was agent.Budget, in BudgetInput) error {
	b := was
	if err := s.setLimits(&b, in); err != nil {
		return err
	}
	return s.Store.ChangeBudget(ctx, v, was, b)
}

// SubjectName is the readable name of a budget's subject, "" if it needs none.
func (s *Budgets) SubjectName(ctx context.Context, b agent.Budget, subject string) (string, error) {
	if subject == "" || b.Who == agent.WhoGroup {
		return subject, nil
	}
	switch b.Who {
	case agent.WhoUser:
		u, err := s.Store.UserByID(ctx, subject)
		if agent.CodeOf(err) == agent.NotFound {
			return agent.RemovedUser(subject), nil
		}
		if err != nil {
			return "", err
		}
		return u.Email, nil
	case agent.WhoConversation:
		conv, err := s.Store.Conversation(ctx, agent.Viewer{Role: agent.RoleAdmin}, subject)
		if agent.CodeOf(err) == agent.NotFound {
			return "Deleted conversation", nil
		}
		if err != nil {
			return "", err
		}
		return conv.DisplayTitle(), nil
	default:
		return "Run " + subject, nil
	}
}

// subject reads the subject of a budget. A user may be named by their e-mail address.
func (s *Budgets) subject(ctx context.Context, in BudgetInput) (string, error) {
	subject := strings.TrimSpace(in.Subject)
	switch {
	case in.Who == agent.WhoGroup:
		return agent.GroupName("subject", subject)
	case in.Who == agent.WhoUser && strings.Contains(subject, "@"):
		u, _, err := s.Store.UserByEmail(ctx, subject)
		if agent.CodeOf(err) == agent.NotFound {
			return "", agent.InvalidField("subject", "there is no account for %s; add it under Users first", agent.Clip(subject, 100))
		}
		if err != nil {
			return "", err
		}
		return u.ID, nil
	default:
		return subject, nil
	}
}

// setLimits takes over what can be changed of a budget, and checks the whole.
func (s *Budgets) setLimits(b *agent.Budget, in BudgetInput) error {
	b.LimitTokens, b.LimitMicros, b.Soft = in.LimitTokens, in.LimitMicros, in.Soft
	b.AtLimit, b.Model = cmp.Or(in.AtLimit, agent.LimitPause), ""
	if b.Soft {
		b.AtLimit = agent.LimitPause // which never comes
	}
	if b.AtLimit == agent.LimitCheaper {
		b.Model = strings.TrimSpace(in.Model)
	}
	if err := b.Check(); err != nil || b.Model == "" {
		return err
	}
	if !slices.ContainsFunc(s.Models.Offered(), func(m agent.ModelInfo) bool { return m.ID == b.Model }) {
		return agent.InvalidField("model", "%s is not available here; choose a model from the Models page", agent.Clip(b.Model, 100))
	}
	if _, known := s.Prices.Find(b.Model, s.Clock.Now()); !known && b.LimitMicros > 0 {
		return agent.InvalidField("model", "%s has no price, so a budget in money would block it; set its price under Models first", b.Model)
	}
	return nil
}
