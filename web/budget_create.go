package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// budgetInput are the fields of a budget that a person sets.
type budgetInput struct {
	Who         agent.BudgetWho  `json:"who"`
	Subject     string           `json:"subject"`
	Span        agent.BudgetSpan `json:"window"`
	LimitTokens int64            `json:"limitTokens"`
	LimitMicros int64            `json:"limitMicros"`
	Soft        bool             `json:"soft"`
	AtLimit     agent.AtLimit    `json:"atLimit"`
	Model       string           `json:"model"`
}

// budgetCreate is POST /api/v1/budgets: the budget holds from the next model call on.
func (s *Server) budgetCreate(c echo.Context) error {
	var in budgetInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	b, err := s.addBudget(c, in)
	if err != nil {
		return err
	}
	view, err := s.budgetViewOf(c, b.ID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, view)
}

func (s *Server) addBudget(c echo.Context, in budgetInput) (agent.Budget, error) {
	ctx, v := c.Request().Context(), viewerOf(c)
	b := agent.Budget{ID: s.NewID(), Who: in.Who, Span: in.Span, CreatedBy: v.Email, CreatedAt: agent.Stamp(s.Clock)}
	if b.Span == "" && b.Who == agent.WhoRun {
		b.Span = agent.SpanRun
	}
	var err error
	if b.Subject, err = s.budgetSubject(ctx, in); err != nil {
		return b, err
	}
	if err := s.setLimits(&b, in); err != nil {
		return b, err
	}
	return b, s.Store.AddBudget(ctx, v, b)
}

// budgetSubject reads whom a budget is for. A user may be named by his e-mail address.
func (s *Server) budgetSubject(ctx context.Context, in budgetInput) (string, error) {
	subject := strings.TrimSpace(in.Subject)
	switch {
	case in.Who == agent.WhoGroup:
		return agent.GroupName("subject", subject)
	case in.Who == agent.WhoUser && strings.Contains(subject, "@"):
		u, _, err := s.Store.UserByEmail(ctx, subject)
		if agent.CodeOf(err) == agent.NotFound {
			return "", agent.InvalidField("subject", "there is no account for %s; add it under Users first", clip(subject, 100))
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
func (s *Server) setLimits(b *agent.Budget, in budgetInput) error {
	b.LimitTokens, b.LimitMicros, b.Soft = in.LimitTokens, in.LimitMicros, in.Soft
	b.AtLimit, b.Model = cmp.Or(in.AtLimit, agent.LimitPause), ""
	if b.Soft {
		b.AtLimit = agent.LimitPause // which never comes
	}
	if b.AtLimit == agent.LimitCheaper {
		b.Model = strings.TrimSpace(in.Model)
	}
	if err := b.Check(); err != nil {
		return err
	}
	return s.checkCheaper(*b)
}

// checkCheaper refuses a model that could not answer in another's place.
func (s *Server) checkCheaper(b agent.Budget) error {
	if b.Model == "" {
		return nil
	}
	if !slices.ContainsFunc(s.offered(), func(m agent.ModelInfo) bool { return m.ID == b.Model }) {
		return agent.InvalidField("model", "%s is not offered here; choose one of the page Models", clip(b.Model, 100))
	}
	if _, known := s.Prices.Find(b.Model, s.Clock.Now()); !known && b.LimitMicros > 0 {
		return agent.InvalidField("model", "%s has no price, so a budget in money would hold it up; set its price under Models first", b.Model)
	}
	return nil
}
