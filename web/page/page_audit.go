package page

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present"
	"fusebox/web/request"
)

const (
	// auditLimit is how many rows one page lists.
	auditLimit = 50
	// maxPageCheck is how many of the newest rows the page checks; the command
	// checks them all.
	maxPageCheck = 50_000
)

// Show shows the audit log, newest first, as far as the filter leaves it,
// and the state of its chain. With ?check= it checks the newest rows.
func (s *Audit) Show(c echo.Context) error {
	q := c.QueryParams()
	props := page.AuditProps{
		Tabs: auditTabs(false), Actions: auditActions, Actor: q.Get("actor"), Action: q.Get("action"), Target: q.Get("target"),
		From: q.Get("from"), To: q.Get("to"), Text: q.Get("text"), Errors: map[string]string{}, Filtered: len(request.AuditQuery(q)) > 0,
	}
	var err error
	if props.Chain, err = s.chainState(c.Request().Context(), q.Get("check") != ""); err != nil {
		return err
	}
	props.Chain.Check = auditHref("/admin/audit", q, "check", "newest")
	status := http.StatusOK
	if f, err := request.AuditFilter(q); err != nil {
		status, props.Errors = http.StatusUnprocessableEntity, agent.FieldErrors(err)
	} else if err := s.list(c, f, &props); err != nil {
		return err
	}
	frame := s.shell(c, "Audit", "audit")
	return s.render(c, status, page.Audit(frame, props))
}

// list reads one page of rows.
func (s *Audit) list(c echo.Context, f agent.AuditFilter, props *page.AuditProps) error {
	q := c.QueryParams()
	rows, next, err := s.Store.AuditRows(c.Request().Context(), f, agent.Page{Limit: auditLimit, Cursor: q.Get("cursor")})
	if err != nil {
		return err
	}
	for _, r := range rows {
		props.Rows = append(props.Rows, present.AuditLine(r))
	}
	if next != "" {
		props.Next = auditHref("/admin/audit", q, "cursor", next)
	}
	props.CSV = auditHref("/admin/audit.csv", q, "", "")
	return nil
}

// auditHref leads to the same filter elsewhere, with one more field.
func auditHref(path string, q url.Values, field, value string) string {
	out := request.AuditQuery(q)
	if field != "" {
		out.Set(field, value)
	}
	if len(out) == 0 {
		return path
	}
	return path + "?" + out.Encode()
}

// chainState says where the chain stands and, where that is asked, whether its
// newest rows are as they were written.
func (s *Audit) chainState(ctx context.Context, check bool) (page.Chain, error) {
	head, err := s.Store.AuditHead(ctx)
	if err != nil {
		return page.Chain{}, err
	}
	state := page.Chain{Rows: head.Seq, Head: head.Hash, At: head.At}
	if !check {
		return state, nil
	}
	last, err := s.Store.CheckAudit(ctx, maxPageCheck)
	var fault *agent.AuditFault
	switch {
	case errors.As(err, &fault):
		state.Fault = fault.Error()
	case agent.CodeOf(err) == agent.NotFound:
		state.Fault = agent.MessageOf(err)
	case err != nil:
		return state, err
	}
	state.Checked = min(last.Seq, maxPageCheck)
	state.Verdict = true
	return state, nil
}

// auditTabs are the two pages of the audit.
func auditTabs(mirror bool) []page.Preset {
	return []page.Preset{
		{Label: "Log", Href: "/admin/audit", Current: !mirror},
		{Label: "Reviewers’ mirror", Href: "/admin/audit/mirror", Current: mirror},
	}
}

// auditActions are the beginnings of actions to choose from; others may be typed.
var auditActions = []string{
	"approval.", "approval.decide", "approval.undo", "call.execute", "conversation.", "guard.", "login", "policy.", "run.abort", "token.", "user.",
}
