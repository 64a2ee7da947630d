package money

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
)

// fullestShown is how many subjects of a budget for each by itself are listed.
const fullestShown = 5

// rows are the budgets as admins see them, each with its fullest subjects.
func (s *Budgets) rows(c echo.Context, standings []agent.BudgetStatus) ([]page.BudgetRow, error) {
	var rows []page.BudgetRow
	for _, accounts := range present.ByBudget(standings) {
		row, err := s.row(c.Request().Context(), request.Viewer(c), accounts)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	// Those of one subject are small cards; they stand together, in front.
	slices.SortStableFunc(rows, func(a, b page.BudgetRow) int { return cmp.Compare(min(len(a.Fullest), 1), min(len(b.Fullest), 1)) })
	return rows, nil
}

func (s *Budgets) row(ctx context.Context, v agent.Viewer, accounts []agent.BudgetStatus) (page.BudgetRow, error) {
	tr, first := text.In(ctx), accounts[0]
	showMoney := !s.Visibility.TokensOnly(v)
	name, err := s.Service.Budgets.SubjectName(ctx, first.Budget, first.Subject)
	if err != nil {
		return page.BudgetRow{}, err
	}
	row := page.BudgetRow{
		ID: first.ID, Title: present.BudgetTitle(tr, first.Budget, name), Soft: first.Soft, AtLimit: present.AtLimitWords(tr, first.Budget),
		By: first.CreatedBy, At: first.CreatedAt, Reset: present.ResetOf(tr, first.EndsAt, s.Zone),
	}
	if !first.EachByItself() {
		row.Meters = present.BudgetMeters(tr, first, showMoney)
		return row, nil
	}
	row.Each = eachText(text.In(ctx), first.Budget, accounts, showMoney)
	for _, st := range accounts[:min(len(accounts), fullestShown)] {
		if st.Of == "" {
			continue // nobody has used it as yet
		}
		subject := page.BudgetSubject{Meters: present.BudgetMeters(tr, st, showMoney)}
		if subject.Name, err = s.Service.Budgets.SubjectName(ctx, st.Budget, st.Of); err != nil {
			return row, err
		}
		subject.Href = subjectHref(st)
		row.Fullest = append(row.Fullest, subject)
	}
	return row, nil
}

// limitsOf are a budget's limits in words.
func limitsOf(tr *text.Printer, b agent.Budget) string {
	switch {
	case b.LimitTokens == 0:
		return present.Money(b.LimitMicros)
	case b.LimitMicros == 0:
		return tr.T("page.budgets.tokens", tr.Amount(b.LimitTokens))
	default:
		return tr.T("page.budgets.money_and_tokens", present.Money(b.LimitMicros), tr.Amount(b.LimitTokens))
	}
}

// eachLimit says how much each subject of a budget has.
func eachLimit(tr *text.Printer, b agent.Budget, showMoney bool) string {
	if !showMoney {
		b.LimitMicros = 0
	}
	if b.LimitMicros == 0 && b.LimitTokens == 0 {
		return ""
	}
	return tr.T("page.budgets.each_limit", limitsOf(tr, b))
}

// eachText says how much each subject has, and how many have used of it.
func eachText(tr *text.Printer, b agent.Budget, accounts []agent.BudgetStatus, showMoney bool) string {
	n := len(accounts)
	if accounts[0].Of == "" {
		n = 0
	}
	sentences := []string{eachLimit(tr, b, showMoney), accountsText(tr, b.Who, n)}
	if n > fullestShown {
		sentences = append(sentences, tr.T("page.budgets.fullest"))
	}
	return strings.TrimSpace(strings.Join(sentences, " "))
}

// accountsText says how many have used something of a budget for each.
func accountsText(tr *text.Printer, who agent.BudgetWho, n int) string {
	switch {
	case who == agent.WhoRun && n == 0:
		return tr.T("page.budgets.no_run")
	case who == agent.WhoRun:
		return tr.T("page.budgets.runs", n)
	case n == 0:
		return tr.T("page.budgets.unused")
	case who == agent.WhoConversation:
		return tr.T("page.budgets.conversations", n)
	default:
		return tr.T("page.budgets.users", n)
	}
}

func subjectHref(st agent.BudgetStatus) string {
	switch st.Who {
	case agent.WhoRun:
		return "/runs/" + st.Of
	case agent.WhoConversation:
		return "/c/" + st.Of
	default:
		return ""
	}
}
