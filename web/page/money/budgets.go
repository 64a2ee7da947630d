package money

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Budgets shows the pages about budgets and takes their forms.
type Budgets struct {
	*site.Site
	Prices service.PriceBook
}

// budgetsInput is what a form of the page that was refused has to say.
type budgetsInput struct {
	problem string
	form    *page.BudgetForm // as it was typed, nil for an empty one
	chats   *page.ChatRulesForm
}

// Show shows the budgets. With ?edit= the form has one of them, with
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
	chats, err := s.chatRulesForm(c, in.chats)
	if err != nil {
		return err
	}
	p := page.BudgetsProps{
		Chats:   chats,
		Budgets: rows, Config: s.configBudgets(site.Words(c)), Examples: exampleRows(site.Words(c)), Form: form, Problem: in.problem,
		Zone: s.Zone.String(), Unpriced: s.unpricedModels(standings),
	}
	return s.Render(c, status, page.Budgets(s.Shell(c, site.Words(c).T("page.title.budgets"), "budgets"), p))
}

// formFor is the form as it was typed, or as the address asks for it.
func (s *Budgets) formFor(c echo.Context, typed *page.BudgetForm) (page.BudgetForm, error) {
	ctx := c.Request().Context()
	form := s.emptyForm(site.Words(c))
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
		if typed, ok := budgetExamples[c.QueryParam("example")]; ok {
			s.fillForm(site.Words(c), &form, typed)
		}
	}
	users, _, err := s.Store.Users(ctx, "", agent.Page{Limit: offeredUsers})
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
func (s *Budgets) configBudgets(tr *text.Printer) []page.ConfigBudget {
	l := s.Service.Messages.Limits
	rows := []page.ConfigBudget{
		{Title: tr.T("page.budgets.run_tokens"), Limit: tr.Amount(l.Tokens), Key: "budget.run_tokens", Note: tr.T("page.budgets.run_tokens_note")},
		{Title: tr.T("page.budgets.run_money"), Limit: present.Money(l.CostMicros), Key: "budget.run_cost_micros"},
		{Title: tr.T("page.budgets.conversation_tokens"), Limit: tr.Amount(l.ConversationTokens), Key: "budget.conversation_tokens"},
	}
	for i, n := range []int64{l.Tokens, l.CostMicros, l.ConversationTokens} {
		if n == 0 {
			rows[i].Limit = tr.T("page.budgets.no_limit")
		}
	}
	return rows
}

// unpricedModels are those that people can choose and that a hard budget in
// money blocks.
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

// Create takes the form of a new budget.
func (s *Budgets) Create(c echo.Context) error {
	return s.takeForm(c, s.emptyForm(site.Words(c)), func(in service.BudgetInput) error {
		_, err := s.Service.Budgets.Add(c.Request().Context(), request.Viewer(c), in)
		return err
	})
}

// takeForm reads the form of a budget and saves it. What was typed stays
// in the form where it is refused.
func (s *Budgets) takeForm(c echo.Context, f page.BudgetForm, save func(service.BudgetInput) error) error {
	typed := typedBudget(c)
	in, bad := typed.input(site.Words(c))
	return s.refuse(c, s.Answer(c, site.Form{
		Bad: bad,
		Save: func() (said, next string, err error) {
			return site.Words(c).T("page.budgets.saved"), "/admin/budgets", save(in)
		},
		Again: func(status int, fields map[string]string, problem string) error {
			s.fillForm(site.Words(c), &f, typed)
			f.Errors = atBudgetFields(typed, fields)
			return s.show(c, status, budgetsInput{problem: cmp.Or(problem, site.Words(c).T("page.budgets.not_saved")), form: &f})
		},
	}))
}

// refuse shows the page as it is now where somebody else was faster.
func (s *Budgets) refuse(c echo.Context, err error) error {
	if agent.CodeOf(err) != agent.NotFound {
		return err
	}
	return s.show(c, http.StatusNotFound, budgetsInput{problem: site.Words(c).T("page.budgets.gone")})
}

// Change takes the form of a budget that is changed.
func (s *Budgets) Change(c echo.Context) error {
	ctx := c.Request().Context()
	old, err := s.Store.Budget(ctx, c.Param("id"))
	if err != nil {
		return s.refuse(c, err)
	}
	form, err := s.form(ctx, *old)
	if err != nil {
		return err
	}
	return s.takeForm(c, form, func(in service.BudgetInput) error {
		if err := sameAsShown(site.Words(c), *old, c.FormValue("terms")); err != nil {
			return err
		}
		return s.Service.Budgets.Change(ctx, request.Viewer(c), *old, in)
	})
}

// sameAsShown refuses to put what was typed in place of what another admin has
// changed since the form was shown; the form then shows what applies now.
func sameAsShown(tr *text.Printer, b agent.Budget, shown string) error {
	if shown == "" || shown == b.Terms() {
		return nil
	}
	if b.Soft {
		return agent.Errorf(agent.Conflict, "%s", tr.T("page.budgets.changed_soft", limitsOf(tr, b)))
	}
	return agent.Errorf(agent.Conflict, "%s", tr.T("page.budgets.changed_hard", limitsOf(tr, b)))
}

// End ends a budget from the page.
func (s *Budgets) End(c echo.Context) error {
	if err := s.Store.EndBudget(c.Request().Context(), request.Viewer(c), c.Param("id")); err != nil {
		return s.refuse(c, err)
	}
	return s.Back(c, "/admin/budgets", site.Words(c).T("page.budgets.ended"))
}

// SetChatRules takes the form that says what people may set for their own chats.
func (s *Budgets) SetChatRules(c echo.Context) error {
	typed := page.ChatRulesForm{
		Instructions: c.FormValue("instructions") == "true", Titles: c.FormValue("titles") == "true", Tokens: c.FormValue("maxRunTokens"), Dollars: c.FormValue("maxRunCostMicros"),
		Errors: map[string]string{},
	}
	rules := agent.ChatRules{NoInstructions: !typed.Instructions, NoTitles: !typed.Titles}
	var err error
	if rules.MaxRunTokens, err = present.TypedTokens("maxRunTokens", typed.Tokens); err != nil {
		typed.Errors = request.FieldErrors(site.Words(c), err)
	}
	if rules.MaxRunMicros, err = present.TypedDollars("maxRunCostMicros", typed.Dollars); err != nil {
		typed.Errors["maxRunCostMicros"] = request.FieldErrors(site.Words(c), err)["maxRunCostMicros"]
	}
	return s.Answer(c, site.Form{
		Bad: typed.Errors,
		Save: func() (said, next string, err error) {
			err = s.Service.Conversations.SetRules(c.Request().Context(), request.Viewer(c), rules)
			return site.Words(c).T("page.budgets.chats_saved"), "/admin/budgets", err
		},
		Again: func(status int, fields map[string]string, _ string) error {
			typed.Errors = fields
			return s.show(c, status, budgetsInput{chats: &typed})
		},
	})
}

// chatRulesForm is the form as it was typed, or with the rules as they are.
func (s *Budgets) chatRulesForm(c echo.Context, typed *page.ChatRulesForm) (page.ChatRulesForm, error) {
	if typed != nil {
		return *typed, nil
	}
	rules, err := s.Service.Conversations.Rules(c.Request().Context())
	form := page.ChatRulesForm{Instructions: !rules.NoInstructions, Titles: !rules.NoTitles}
	if rules.MaxRunTokens > 0 {
		form.Tokens = strconv.FormatInt(rules.MaxRunTokens, 10)
	}
	if rules.MaxRunMicros > 0 {
		form.Dollars = present.DollarsTyped(rules.MaxRunMicros)
	}
	return form, err
}
