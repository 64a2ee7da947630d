package page

import (
	"context"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
)

// eachUser is the form's choice of a budget for each user by itself.
const eachUser = "each_user"

// budgetTyped is what stands in the form of a budget.
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
func (t budgetTyped) input() (in service.BudgetInput, bad map[string]string) {
	bad = map[string]string{}
	in = service.BudgetInput{Who: agent.BudgetWho(t.who), Span: agent.BudgetSpan(t.window), Soft: t.soft, AtLimit: t.atLimit, Model: t.model}
	var err error
	if in.LimitTokens, err = present.TypedTokens("limitTokens", t.tokens); err != nil {
		bad["limitTokens"] = agent.FieldErrors(err)["limitTokens"]
	}
	if in.LimitMicros, err = present.TypedDollars("limitMicros", t.dollars); err != nil {
		bad["limitMicros"] = agent.FieldErrors(err)["limitMicros"]
	}
	switch t.who {
	case eachUser:
		in.Who = agent.WhoUser
	case string(agent.WhoUser):
		if in.Subject = t.email; t.email == "" {
			bad["email"] = "is empty; name the user, or choose “Each user by itself”"
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

func (s *Budgets) emptyForm() page.BudgetForm {
	var f page.BudgetForm
	s.fillForm(&f, budgetTyped{who: string(agent.WhoEverybody), window: string(agent.SpanMonth), atLimit: agent.LimitPause})
	return f
}

// fillForm puts what was typed into a form.
func (s *Budgets) fillForm(f *page.BudgetForm, t budgetTyped) {
	f.Email, f.Group, f.Tokens, f.Dollars = t.email, t.group, t.tokens, t.dollars
	f.Whos = chosen(t.who, [][2]string{
		{string(agent.WhoEverybody), "Everybody together"}, {eachUser, "Each user by itself"}, {string(agent.WhoUser), "One user"},
		{string(agent.WhoGroup), "A group together"}, {string(agent.WhoConversation), "Each conversation by itself"}, {string(agent.WhoRun), "Each run by itself"},
	})
	f.Windows = chosen(t.window, [][2]string{
		{string(agent.SpanDay), "Each day"}, {string(agent.SpanWeek), "Each week, from Monday"}, {string(agent.SpanMonth), "Each month"},
	})
	strict := "false"
	if t.soft {
		strict = "true"
	}
	f.Strict = chosen(strict, [][2]string{{"false", "Hard: what does not fit is held up"}, {"true", "Soft: it only warns"}})
	f.Ways = chosen(string(t.atLimit), [][2]string{
		{string(agent.LimitPause), "Pause the run and ask an admin"}, {string(agent.LimitStop), "Stop the run"},
		{string(agent.LimitCheaper), "From 80 % on a cheaper model answers"},
	})
	f.Models = chosenModels(s.Service.Models, t.model)
	if t.model == "" {
		f.Models[0] = page.Choice{Label: "Choose one", Selected: true}
	}
}

// chosen are the entries of a select with labels of their own.
func chosen(value string, entries [][2]string) []page.Choice {
	choices := make([]page.Choice, len(entries))
	for i, e := range entries {
		choices[i] = page.Choice{Value: e[0], Label: e[1], Selected: e[0] == value}
	}
	return choices
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
	s.fillForm(&f, t)
	return f, nil
}

// budgetExample is one that the page offers where there is none.
type budgetExample struct {
	head, text string
	typed      budgetTyped
}

var budgetExamples = map[string]budgetExample{
	"everybody": {"Everybody, $10 a month", "The whole house together. At the limit runs pause and ask an admin.",
		budgetTyped{who: string(agent.WhoEverybody), window: string(agent.SpanMonth), dollars: "10.00", atLimit: agent.LimitPause}},
	"each_user": {"Each user, 500k tokens a day", "Nobody uses up what others need. At the limit runs pause and ask an admin.",
		budgetTyped{who: eachUser, window: string(agent.SpanDay), tokens: "500k", atLimit: agent.LimitPause}},
	"run": {"Each run, $0.50", "A run that would get dearer is stopped.",
		budgetTyped{who: string(agent.WhoRun), window: string(agent.SpanDay), dollars: "0.50", atLimit: agent.LimitStop}},
}

func exampleRows() []page.BudgetExample {
	keys := []string{"everybody", "each_user", "run"}
	rows := make([]page.BudgetExample, len(keys))
	for i, key := range slices.All(keys) {
		rows[i] = page.BudgetExample{Key: key, Head: budgetExamples[key].head, Text: budgetExamples[key].text}
	}
	return rows
}
