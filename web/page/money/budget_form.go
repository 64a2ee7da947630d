package money

import (
	"context"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// eachUser is the form's choice of a budget for each user by itself.
const eachUser = "each_user"

// budgetTyped is what the form of a budget contains.
type budgetTyped struct {
	who, email, group, window string
	tokens, dollars           string
	soft                      bool
	atLimit                   agent.AtLimit
	model                     string
}

// typedBudget reads the fields of the form.
func typedBudget(c echo.Context) budgetTyped {
	return budgetTyped{
		who: c.FormValue("who"), email: c.FormValue("email"), group: c.FormValue("group"), window: c.FormValue("window"),
		tokens: c.FormValue("limitTokens"), dollars: c.FormValue("limitMicros"), soft: c.FormValue("soft") == "true",
		atLimit: agent.AtLimit(c.FormValue("atLimit")), model: c.FormValue("model"),
	}
}

// input is what was typed as a program would send it; bad names the fields that
// cannot be read.
func (t budgetTyped) input(tr *text.Printer) (in service.BudgetInput, bad map[string]string) {
	bad = map[string]string{}
	in = service.BudgetInput{Who: agent.BudgetWho(t.who), Span: agent.BudgetSpan(t.window), Soft: t.soft, AtLimit: t.atLimit, Model: t.model}
	var err error
	if in.LimitTokens, err = present.TypedTokens("limitTokens", t.tokens); err != nil {
		bad["limitTokens"] = request.FieldErrors(tr, err)["limitTokens"]
	}
	if in.LimitMicros, err = present.TypedDollars("limitMicros", t.dollars); err != nil {
		bad["limitMicros"] = request.FieldErrors(tr, err)["limitMicros"]
	}
	switch t.who {
	case eachUser:
		in.Who = agent.WhoUser
	case string(agent.WhoUser):
		if in.Subject = t.email; t.email == "" {
			bad["email"] = tr.T("page.budgets.no_email")
		}
	case string(agent.WhoGroup):
		in.Subject = t.group
	case string(agent.WhoRun):
		in.Span = agent.SpanRun // the only one there is for it
	}
	return in, bad
}

// atBudgetFields puts the error of the subject at the field that it was typed into.
func atBudgetFields(t budgetTyped, bad map[string]string) map[string]string {
	if detail, ok := bad["subject"]; ok {
		field := "email"
		if t.who == string(agent.WhoGroup) {
			field = "group"
		}
		bad[field] = detail
	}
	return bad
}

func (s *Budgets) emptyForm(tr *text.Printer) page.BudgetForm {
	var f page.BudgetForm
	s.fillForm(tr, &f, budgetTyped{who: string(agent.WhoEverybody), window: string(agent.SpanMonth), atLimit: agent.LimitPause})
	return f
}

// fillForm puts what was typed into a form.
func (s *Budgets) fillForm(tr *text.Printer, f *page.BudgetForm, t budgetTyped) {
	f.Email, f.Group, f.Tokens, f.Dollars = t.email, t.group, t.tokens, t.dollars
	f.Whos = site.Choices(t.who, [][2]string{
		{string(agent.WhoEverybody), tr.T("page.budgets.everybody")}, {eachUser, tr.T("page.budgets.each_user")}, {string(agent.WhoUser), tr.T("page.budgets.one_user")},
		{string(agent.WhoGroup), tr.T("page.budgets.one_group")}, {string(agent.WhoConversation), tr.T("page.budgets.each_conversation")}, {string(agent.WhoRun), tr.T("page.budgets.each_run")},
	})
	f.Windows = site.Choices(t.window, [][2]string{
		{string(agent.SpanDay), tr.T("page.budgets.day")}, {string(agent.SpanWeek), tr.T("page.budgets.week")}, {string(agent.SpanMonth), tr.T("page.budgets.month")},
	})
	strict := "false"
	if t.soft {
		strict = "true"
	}
	f.Strict = site.Choices(strict, [][2]string{{"false", tr.T("page.budgets.hard")}, {"true", tr.T("page.budgets.soft")}})
	f.Ways = site.Choices(string(t.atLimit), [][2]string{
		{string(agent.LimitPause), tr.T("page.budgets.pause")}, {string(agent.LimitStop), tr.T("page.budgets.stop")},
		{string(agent.LimitCheaper), tr.T("page.budgets.cheaper")},
	})
	f.Models = site.ModelChoices(tr, s.Service.Models, t.model)
	if t.model == "" {
		f.Models[0] = page.Choice{Label: tr.T("page.budgets.choose_model"), Selected: true}
	}
}

// form is the form of a budget that is to be changed.
func (s *Budgets) form(ctx context.Context, b agent.Budget) (page.BudgetForm, error) {
	name, err := s.Service.Budgets.SubjectName(ctx, b, b.Subject)
	if err != nil {
		return page.BudgetForm{}, err
	}
	f := page.BudgetForm{ID: b.ID, Title: present.BudgetTitle(text.In(ctx), b, name), Terms: b.Terms()}
	t := budgetTyped{soft: b.Soft, atLimit: b.AtLimit, model: b.Model}
	if b.LimitTokens > 0 {
		t.tokens = present.PlainNumber(b.LimitTokens)
	}
	if b.LimitMicros > 0 {
		t.dollars = present.DollarsTyped(b.LimitMicros)
	}
	s.fillForm(text.In(ctx), &f, t)
	return f, nil
}

// budgetExamples are what the form has where the page offers an example.
var budgetExamples = map[string]budgetTyped{
	"everybody": {who: string(agent.WhoEverybody), window: string(agent.SpanMonth), dollars: "10.00", atLimit: agent.LimitPause},
	"each_user": {who: eachUser, window: string(agent.SpanDay), tokens: "500k", atLimit: agent.LimitPause},
	"run":       {who: string(agent.WhoRun), window: string(agent.SpanDay), dollars: "0.50", atLimit: agent.LimitStop},
}

// exampleRows are the examples that the page offers where there is no budget.
func exampleRows(tr *text.Printer) []page.BudgetExample {
	return []page.BudgetExample{
		{Key: "everybody", Head: tr.T("page.budgets.example_everybody"), Text: tr.T("page.budgets.example_everybody_text")},
		{Key: "each_user", Head: tr.T("page.budgets.example_each_user"), Text: tr.T("page.budgets.example_each_user_text")},
		{Key: "run", Head: tr.T("page.budgets.example_run"), Text: tr.T("page.budgets.example_run_text")},
	}
}
