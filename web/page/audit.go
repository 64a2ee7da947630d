package page

import (
	"context"
	"encoding/csv"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Audit shows the pages about audit and takes their forms.
type Audit struct {
	*site.Site
}

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
		Tabs: auditTabs(site.Words(c), false), Actions: auditActions, Actor: q.Get("actor"), Action: q.Get("action"), Target: q.Get("target"),
		From: q.Get("from"), To: q.Get("to"), Text: q.Get("text"), Errors: map[string]string{}, Filtered: len(request.AuditQuery(q)) > 0,
	}
	var err error
	if props.Chain, err = s.chainState(c.Request().Context(), q.Get("check") != ""); err != nil {
		return err
	}
	props.Chain.Check = auditHref("/admin/audit", q, "check", "newest")
	status := http.StatusOK
	if f, err := request.AuditFilter(q); err != nil {
		status, props.Errors = http.StatusUnprocessableEntity, request.FieldErrors(site.Words(c), err)
	} else if err := s.list(c, f, &props); err != nil {
		return err
	}
	frame := s.Shell(c, site.Words(c).T("page.title.audit"), "audit")
	return s.Render(c, status, page.Audit(frame, props))
}

// list reads one page of rows.
func (s *Audit) list(c echo.Context, f agent.AuditFilter, props *page.AuditProps) error {
	q := c.QueryParams()
	rows, next, err := s.Store.AuditRows(c.Request().Context(), f, agent.Page{Limit: auditLimit, Cursor: q.Get("cursor")})
	if err != nil {
		return err
	}
	props.Rows = rows
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

// chainState says where the chain ends and, where that is asked, whether its
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
		state.Fault = request.Said(text.In(ctx), err)
	case err != nil:
		return state, err
	}
	state.Checked = min(last.Seq, maxPageCheck)
	state.Verdict = true
	return state, nil
}

// auditTabs are the two pages of the audit.
func auditTabs(tr *text.Printer, mirror bool) []page.Preset {
	return []page.Preset{
		{Label: tr.T("page.audit.log"), Href: "/admin/audit", Current: !mirror},
		{Label: tr.T("page.audit.mirror"), Href: "/admin/audit/mirror", Current: mirror},
	}
}

// auditActions are the beginnings of actions to choose from; others may be typed.
var auditActions = []string{
	"approval.", "approval.decide", "approval.undo", "call.execute", "conversation.", "guard.", "login", "policy.", "run.", "token.", "user.",
}

// csvBatch is how many rows are read at once: a reader that takes its time must
// not hold the database.
const csvBatch = 200

// CSV is what the filter leaves as a file, newest first, whole.
func (s *Audit) CSV(c echo.Context) error {
	ctx := c.Request().Context()
	f, err := request.AuditFilter(c.QueryParams())
	if err != nil {
		return err
	}
	rows, next, err := s.Store.AuditRows(ctx, f, agent.Page{Limit: csvBatch})
	if err != nil {
		return err
	}
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="fusebox-audit.csv"`)
	res.Header().Set("Cache-Control", "no-store")
	res.WriteHeader(http.StatusOK)
	w := csv.NewWriter(res)
	if err := w.Write([]string{"seq", "id", "at", "actor", "role", "action", "target", "place", "shown", "detail", "before", "hash"}); err != nil {
		return err
	}
	for {
		for _, r := range rows {
			if err := w.Write(auditRecord(r)); err != nil {
				return err
			}
		}
		if w.Flush(); w.Error() != nil || next == "" {
			return w.Error()
		}
		if rows, next, err = s.Store.AuditRows(ctx, f, agent.Page{Limit: csvBatch, Cursor: next}); err != nil {
			return err
		}
	}
}

// auditRecord is a row of the file. A text that a spreadsheet would take for a
// formula is kept from being one.
func auditRecord(r agent.AuditRow) []string {
	record := []string{
		strconv.FormatInt(r.Seq, 10), r.ID, r.At.UTC().Format(agent.TimeFormat), r.Actor, string(r.Role), r.Action, r.Target,
		r.Place, r.Shown, r.Detail, r.Before, r.Hash,
	}
	for i := range record {
		record[i] = request.NoFormula(record[i])
	}
	return record
}
