package page

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// maxBacktestRows is how many runs each list of the page shows.
const maxBacktestRows = 100

// tryGuards reads the query of the page and, where there is one, tries it on
// past runs. What was typed stays; refused tells that it had errors.
func (s *Guards) tryGuards(c echo.Context, rules []agent.GuardRule, props *page.GuardsProps) (refused bool, err error) {
	asked := c.QueryParams()
	b := &props.Backtest
	b.Days, b.Changes, b.Errors = strconv.Itoa(service.StatDays), asked.Get("changes"), map[string]string{}
	if asked.Has("days") {
		b.Days = asked.Get("days")
	}
	b.Rules = ruleChoices(site.Words(c), rules, asked.Get("rule"))
	if !asked.Has("days") && !asked.Has("changes") && !asked.Has("rule") {
		return false, nil
	}
	q, days := s.typedBacktest(site.Words(c), b, rules, asked.Get("rule"))
	if len(b.Errors) > 0 {
		return true, nil
	}
	result, err := s.Service.Guards.Backtest(c.Request().Context(), q)
	switch agent.CodeOf(err) {
	case "":
	case agent.Invalid:
		b.Errors["changes"] = changeError(site.Words(c), err)
		return true, nil
	case agent.Unavailable:
		b.Problem = request.Said(site.Words(c), err)
		return true, nil
	default:
		return false, err
	}
	b.Result = backtestResult(site.Words(c), result, days)
	for i, r := range props.Proposed {
		if r.ID == asked.Get("rule") && len(q.Numbers) == 0 { // else it is not the rule alone
			tr := site.Words(c)
			props.Proposed[i].Trial = tr.T("page.backtest.trial",
				present.CountOfDays(tr, days), present.CountOfRuns(tr, len(result.New)), tr.Amount(int64(len(result.Gone))))
		}
	}
	return false, nil
}

// typedBacktest turns the form into a question; errors go to their fields.
func (s *Guards) typedBacktest(tr *text.Printer, b *page.Backtest, rules []agent.GuardRule, ruleID string) (q agent.BacktestQuery, days int) {
	days, err := strconv.Atoi(strings.TrimSpace(b.Days))
	if err != nil || days < 1 || days > request.MaxSpendDays {
		b.Errors["days"] = tr.T("page.backtest.bad_days", request.MaxSpendDays)
	} else {
		r := request.LastDays(days, s.Clock.Now(), time.UTC)
		q.From, q.To = r.From, r.To.AddDate(0, 0, 1)
	}
	if q.Numbers, err = parseChanges(b.Changes); err != nil {
		b.Errors["changes"] = request.FieldErrors(tr, err)["changes"]
	}
	if ruleID == "" {
		return q, days
	}
	i := slices.IndexFunc(rules, func(g agent.GuardRule) bool { return g.ID == ruleID && g.State == agent.RuleProposed })
	if i < 0 {
		b.Errors["rule"] = tr.T("page.backtest.bad_rule")
		return q, days
	}
	q.Rule = rules[i].ToolRule
	return q, days
}

// parseChanges reads one key=value a line; blank lines do not count.
func parseChanges(text string) (map[string]string, error) {
	numbers := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		n, known := agent.FindGuardNumber(key)
		_, twice := numbers[n.Key]
		switch {
		case !ok:
			return nil, agent.InvalidField("changes", "line %d is not a change: write it as guard.critical=6", i+1)
		case !known:
			return nil, agent.InvalidField("changes", "line %d: unknown threshold %s; all of them are listed below", i+1, agent.Clip(key, 60))
		case twice:
			return nil, agent.InvalidField("changes", "line %d: %s appears twice", i+1, n.Key)
		}
		numbers[n.Key] = strings.TrimSpace(value)
	}
	return numbers, nil
}

// changeError is what a backtest has against its numbers, as one sentence.
func changeError(tr *text.Printer, err error) string {
	fields := request.FieldErrors(tr, err)
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		detail, key := fields[field], strings.TrimPrefix(field, "numbers.")
		if !strings.HasPrefix(detail, key) {
			detail = key + ": " + detail
		}
		parts = append(parts, detail)
	}
	if len(parts) == 0 {
		return request.Said(tr, err)
	}
	return strings.Join(parts, "; ")
}

func ruleChoices(tr *text.Printer, rules []agent.GuardRule, selected string) []page.Choice {
	list := []page.Choice{{Value: "", Label: tr.T("page.backtest.no_rule")}}
	for _, g := range rules {
		if g.State == agent.RuleProposed {
			label := tr.T("page.backtest.rule", g.Tool, g.At.UTC().Format(tr.T("date.short_time")))
			list = append(list, page.Choice{Value: g.ID, Label: label, Selected: g.ID == selected})
		}
	}
	return list
}

func backtestResult(tr *text.Printer, r agent.BacktestResult, days int) *page.BacktestResult {
	out := &page.BacktestResult{
		Summary: tr.T("page.backtest.summary", present.CountOfRuns(tr, r.Runs), present.CountOfCalls(tr, int64(r.Calls)), present.CountOfDays(tr, days),
			tr.Amount(int64(len(r.New))), tr.Amount(int64(len(r.Gone))), tr.Amount(int64(r.Still))),
		New:  backtestList(tr, r.New, page.BacktestList{ID: "newly-trips", Title: tr.T("page.backtest.new"), Empty: tr.T("page.backtest.none_new")}),
		Gone: backtestList(tr, r.Gone, page.BacktestList{ID: "no-longer", Title: tr.T("page.backtest.gone"), Empty: tr.T("page.backtest.none_gone")}),
	}
	if r.More {
		out.Note = tr.T("page.backtest.more")
	}
	return out
}

func backtestList(tr *text.Printer, changes []agent.BacktestChange, l page.BacktestList) page.BacktestList {
	l.More = max(0, len(changes)-maxBacktestRows)
	for _, c := range changes[:len(changes)-l.More] {
		l.Runs = append(l.Runs, page.BacktestRun{
			ID: c.RunID, Title: site.TitleOf(tr, c.Title), Owner: c.Owner, Step: strconv.Itoa(c.Step), Detector: present.DetectorName(tr, c.Detector), Message: tr.Recorded(c.Message),
		})
	}
	return l
}
