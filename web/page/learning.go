package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Learning shows what decisions on loop approvals say about the detectors. Only
// a query with search=true replays past runs.
func (s *Guards) Learning(c echo.Context) error {
	q, status := c.QueryParams(), http.StatusOK
	from, to, err := request.BacktestDays(q.Get("from"), q.Get("to"), s.Clock.Now())
	props := page.LearningProps{Tabs: guardTabs(site.Words(c), learningPath), Few: agent.FewDecisions, CSRF: s.Sessions.FormToken(c)}
	if err != nil {
		status, props.Errors = http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err)
		from, to, _ = request.BacktestDays("", "", s.Clock.Now())
	}
	ctx, search := c.Request().Context(), q.Get("search") == "true" && status == http.StatusOK
	learned, err := s.Service.Guards.Learning(ctx, from, to, search)
	if agent.CodeOf(err) == agent.Unavailable {
		props.Problem, err = request.Said(site.Words(c), err), nil
	}
	if err != nil {
		return err
	}
	props.From, props.To = from.Format(request.DayFormat), to.AddDate(0, 0, -1).Format(request.DayFormat)
	props.Presets = dayPresets(site.Words(c), learningPath, props.From, props.To, s.Clock.Now())
	if status != http.StatusOK { // what was typed stays
		props.From, props.To = q.Get("from"), q.Get("to")
	}
	if err := s.learningRows(c, learned, &props); err != nil {
		return err
	}
	return s.Render(c, status, page.Learning(s.Shell(c, site.Within(site.Words(c).T("page.title.learning"), site.Words(c).T("page.title.breakers")), "guards"), props))
}

// learningRows are the figures of each detector, and what a search found for it.
func (s *Guards) learningRows(c echo.Context, learned agent.Learning, props *page.LearningProps) error {
	tr := site.Words(c)
	props.More = learned.More
	for _, d := range learned.Detectors {
		props.Rows = append(props.Rows, present.LearningRow(tr, d))
		props.Searchable = props.Searchable || !d.TooFew && d.FalseAlarms > 0
	}
	if learned.Search == nil {
		return nil
	}
	config, err := s.Store.GuardConfig(c.Request().Context())
	if err != nil {
		return err
	}
	props.Summary = tr.T("page.learning.summary", present.CountOfRuns(tr, learned.Search.Runs), present.CountOfCalls(tr, int64(learned.Search.Calls)))
	props.Cut = learned.Search.More
	for _, d := range learned.Detectors {
		if !d.TooFew {
			props.Findings = append(props.Findings, s.finding(tr, config, d, *learned.Search, props.CSRF))
		}
	}
	return nil
}

// finding is what a search came to for one detector.
func (s *Guards) finding(tr *text.Printer, config agent.GuardConfig, d agent.DetectorDecisions, found agent.LearningSearch, csrf string) page.Finding {
	f := page.Finding{Name: d.Detector, Title: present.DetectorName(tr, d.Detector)}
	i := slices.IndexFunc(found.Suggestions, func(s agent.LearningSuggestion) bool { return s.Detector == d.Detector })
	switch {
	case i >= 0:
		s.suggest(tr, config, found.Suggestions[i], csrf, &f)
	case d.FalseAlarms == 0:
		f.Nothing = tr.T("page.learning.no_alarms")
	case !slices.Contains(found.Tried, d.Detector):
		f.Nothing = tr.T("page.learning.not_tried")
	default:
		f.Nothing = tr.T("page.learning.none_helps")
	}
	return f
}

func (s *Guards) suggest(tr *text.Printer, config agent.GuardConfig, found agent.LearningSuggestion, csrf string, f *page.Finding) {
	f.Rows = present.PauseRows(tr, found.Now, found.Then)
	f.Spared = backtestList(tr, found.Spared, page.BacktestList{ID: "spared-" + f.Name, Title: tr.T("page.learning.spared", len(found.Spared))})
	f.Missed = backtestList(tr, found.Missed, page.BacktestList{ID: "missed-" + f.Name, Title: tr.T("page.learning.missed", len(found.Missed)), Empty: tr.T("page.learning.missed_none")})
	f.Apply = page.Confirm{CSRF: csrf, Harmless: true, Ask: tr.T("page.learning.apply"), Question: tr.T("page.learning.apply_question"), Do: tr.T("page.learning.apply_do")}
	if found.Rule != nil {
		f.Change = tr.T("page.learning.rule", found.Rule.Tool)
		f.Says, f.Replaces = present.RuleWords(tr, *found.Rule), present.RuleWords(tr, config.Rule(found.Rule.Tool))
		f.Apply.Action, f.Apply.Fields = "/admin/guards/rules", ruleFields(*found.Rule)
		return
	}
	for _, n := range s.Service.Guards.Numbers(config) {
		value, changed := found.Numbers[n.Key]
		if !changed {
			continue
		}
		f.Says = append(f.Says, tr.T("page.learning.number", present.NumberHelp(tr, n.Key, n.Help), n.Key, found.Was[n.Key], value))
		f.Apply.Fields = append(f.Apply.Fields, page.Hidden{Name: "value." + n.Key, Value: value})
	}
	f.Change, f.Apply.Action = tr.T("page.learning.raise"), guardsPaths[page.ThresholdsTab]
}

// dayPresets are common periods of a page; the one that is shown is marked.
func dayPresets(tr *text.Printer, path, from, to string, now time.Time) []page.Preset {
	var out []page.Preset
	for _, days := range []int{7, 30, 90} {
		p := request.LastDays(days, now, time.UTC)
		q := url.Values{"from": {p.From.Format(request.DayFormat)}, "to": {p.To.Format(request.DayFormat)}}
		out = append(out, page.Preset{
			Label: present.CountOfDays(tr, days), Href: path + "?" + q.Encode(),
			Current: q.Get("from") == from && q.Get("to") == to,
		})
	}
	return out
}

func guardTabs(tr *text.Printer, current string) []page.Preset {
	tabs := []page.Preset{
		{Label: tr.T("page.learning.detectors"), Href: guardsPaths[page.DetectorsTab]},
		{Label: tr.T("page.learning.thresholds"), Href: guardsPaths[page.ThresholdsTab]},
		{Label: tr.T("page.learning.rules"), Href: guardsPaths[page.RulesTab]},
		{Label: tr.T("page.learning.tab"), Href: learningPath},
	}
	for i := range tabs {
		tabs[i].Current = tabs[i].Href == current
	}
	return tabs
}

const learningPath = "/admin/guards/learning"

// guardsPaths are the addresses of the pages about breakers.
var guardsPaths = map[page.GuardsTab]string{
	page.DetectorsTab: "/admin/guards", page.RulesTab: "/admin/guards/rules", page.ThresholdsTab: "/admin/guards/thresholds",
}

// ruleFields are the fields of the form that adds a rule, filled in.
func ruleFields(r agent.ToolRule) []page.Hidden {
	fields := []page.Hidden{
		{Name: "tool", Value: r.Tool}, {Name: "identity", Value: strings.Join(r.Identity, ",")},
		{Name: "volatile", Value: strings.Join(r.Volatile, ",")},
		{Name: "warning", Value: strconv.Itoa(r.Warning)}, {Name: "critical", Value: strconv.Itoa(r.Critical)},
	}
	if r.Polling {
		fields = append(fields, page.Hidden{Name: "polling", Value: "true"})
	}
	return fields
}
