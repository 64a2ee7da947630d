package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present"
)

// budgetsInput is what a form of the page that was refused has to say.
type budgetsInput struct {
	problem string
	form    *page.BudgetForm // as it was typed, nil for an empty one
}

// Show shows the budgets. With ?edit= the form holds one of them, with
// ?example= one that might be.
func (s *Budgets) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, budgetsInput{})
}

func (s *Budgets) show(c echo.Context, status int, in budgetsInput) error {
	ctx := c.Request().Context()
	standings, err := s.Store.BudgetStatuses(ctx)
	if err != nil {
		return err
	}
	rows, err := s.rows(c, standings)
	if err != nil {
		return err
	}
	form, err := s.formFor(c, in.form)
	if err != nil {
		return err
	}
	p := page.BudgetsProps{
		Budgets: rows, Config: s.configBudgets(), Examples: exampleRows(), Form: form, Problem: in.problem,
		Zone: s.Zone.String(), Unpriced: s.unpricedModels(standings),
	}
	return s.render(c, status, page.Budgets(s.shell(c, "Budgets", "budgets"), p))
}

// formFor is the form as it was typed, or as the address asks for it.
func (s *Budgets) formFor(c echo.Context, typed *page.BudgetForm) (page.BudgetForm, error) {
	ctx := c.Request().Context()
	form := s.emptyForm()
	switch id := c.QueryParam("edit"); {
	case typed != nil:
		form = *typed
	case id != "":
		b, err := s.Store.Budget(ctx, id)
		if err != nil {
			return form, err
		}
		if form, err = s.form(ctx, *b); err != nil {
			return form, err
		}
	default:
		if e, ok := budgetExamples[c.QueryParam("example")]; ok {
			s.fillForm(&form, e.typed)
		}
	}
	users, _, err := s.Store.Users(ctx, agent.Page{Limit: offeredUsers})
	if err != nil {
		return form, err
	}
	for _, u := range users {
		form.Emails = append(form.Emails, u.Email)
	}
	form.Groups, err = s.Store.Groups(ctx)
	return form, err
}

// offeredUsers is how many addresses are offered while one types.
const offeredUsers = 200

// configBudgets are the limits that come with every run.
func (s *Budgets) configBudgets() []page.ConfigBudget {
	l := s.Desk.Limits
	rows := []page.ConfigBudget{
		{Title: "Each run, tokens", Limit: present.Tokens(s.RunTokens), Key: "budget.run_tokens", Note: "; a chat may set its own"},
		{Title: "Each run, money", Limit: present.Money(l.CostMicros), Key: "budget.run_cost_micros"},
		{Title: "Each conversation, tokens, for good", Limit: present.Tokens(l.ConversationTokens), Key: "budget.conversation_tokens"},
	}
	for i, n := range []int64{s.RunTokens, l.CostMicros, l.ConversationTokens} {
		if n == 0 {
			rows[i].Limit = "no limit"
		}
	}
	return rows
}

// unpricedModels are those that people can choose and that a hard budget in
// money holds up.
func (s *Budgets) unpricedModels(standings []agent.BudgetStatus) []string {
	var models []string
	for _, st := range standings {
		if st.Soft || st.LimitMicros == 0 {
			continue
		}
		for _, m := range s.Service.Models.Offered() {
			if _, known := s.Prices.Find(m.ID, s.Clock.Now()); !known {
				models = append(models, m.ID)
			}
		}
		break
	}
	return models
}
