package page

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

const (
	mirrorDays = 30
	// maxReviewerDays bounds the span that one page looks at.
	maxReviewerDays = 366
	// mirrorFew is how many decisions a figure needs to say anything.
	mirrorFew = 5
)

// Reviewers shows how those who decide have decided over a span of days: to admins
// everyone's figures, to reviewers their own.
func (s *Audit) Reviewers(c echo.Context) error {
	status, fields := http.StatusOK, map[string]string{}
	q := c.QueryParams()
	r, err := mirrorRange(q, s.Clock.Now())
	if err != nil {
		status, fields = http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err)
	}
	ctx, until := c.Request().Context(), r.To.AddDate(0, 0, 1)
	decisions, err := s.Store.ReviewerDecisions(ctx, r.From, until)
	if err != nil {
		return err
	}
	undone, err := s.Store.ReviewerUndone(ctx, r.From, until)
	if err != nil {
		return err
	}
	props := page.ReviewersProps{
		From: r.From.Format(request.DayFormat), To: r.To.Format(request.DayFormat), Errors: fields, Few: mirrorFew,
	}
	props.Presets = dayPresets(site.Words(c), "/admin/audit/mirror", props.From, props.To, s.Clock.Now())
	if status != http.StatusOK { // what was typed stays
		props.From, props.To = q.Get("from"), q.Get("to")
	}
	lines, whole := agent.SumReviewerStats(decisions, undone)
	if v := request.Viewer(c); v.Role != agent.RoleAdmin {
		lines = slices.DeleteFunc(lines, func(l agent.ReviewerStats) bool { return l.Who != v.Email }) // none where they decided nothing
		props.Own, props.Lines = true, reviewerLines(site.Words(c), lines)
		return s.Render(c, status, page.Reviewers(s.Shell(c, site.Words(c).T("page.title.own_mirror"), "mirror"), props))
	}
	props.Tabs, props.Lines = auditTabs(site.Words(c), true), reviewerLines(site.Words(c), lines)
	props.Whole = reviewerLine(site.Words(c), whole)
	props.Whole.Who = site.Words(c).T("page.audit.everybody")
	return s.Render(c, status, page.Reviewers(s.Shell(c, site.Words(c).T("page.title.mirror"), "audit"), props))
}

func reviewerLines(tr *text.Printer, lines []agent.ReviewerStats) []page.ReviewersLine {
	out := make([]page.ReviewersLine, len(lines))
	for i, l := range lines {
		out[i] = reviewerLine(tr, l)
	}
	return out
}

// mirrorRange reads the days, both included, in UTC: the last 30 where none are
// named. On bad input it returns those with the error.
func mirrorRange(q url.Values, now time.Time) (request.SpendRange, error) {
	def := request.LastDays(mirrorDays, now, time.UTC)
	r := def
	var err error
	if r.To, err = request.ParseDay(q, "to", time.UTC, def.To); err != nil {
		return def, err
	}
	if r.From, err = request.ParseDay(q, "from", time.UTC, r.To.AddDate(0, 0, 1-mirrorDays)); err != nil {
		return def, err
	}
	switch {
	case r.From.After(r.To):
		return def, agent.InvalidField("from", "must not be after the last day, %s", r.To.Format(request.DayFormat))
	case r.From.AddDate(0, 0, maxReviewerDays).Before(r.To):
		return def, agent.InvalidField("from", "at most a year at once")
	}
	return r, nil
}

// reviewerLine is a line as the page shows it. A figure over fewer decisions than
// say anything is a dash.
func reviewerLine(tr *text.Printer, l agent.ReviewerStats) page.ReviewersLine {
	out := page.ReviewersLine{
		Who: l.Who, Decisions: fmt.Sprint(l.Decisions), Median: "–", Approved: percent(tr, l.Approved, l.Decisions),
		Unopened: percent(tr, l.Unopened, l.Calls), Failed: "–", Undone: "–",
	}
	if l.Decisions >= mirrorFew {
		out.Median = waited(l.Median)
	}
	if l.Approved >= mirrorFew {
		out.Failed = fmt.Sprint(l.Failed)
	}
	if l.Approved+l.Undone >= mirrorFew {
		out.Undone = fmt.Sprint(l.Undone)
	}
	return out
}

// percent is part of whole, a dash where the whole is too small to say anything.
func percent(tr *text.Printer, part, whole int) string {
	if whole < mirrorFew {
		return "–"
	}
	return tr.T("mirror.percent", int(math.Round(float64(part)*100/float64(whole))))
}

// waited is a span of time in its two largest units.
func waited(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	default:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
}
