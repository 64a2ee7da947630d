package page

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/request"
)

// inboxLimit is how many approvals one page of the inbox shows.
const inboxLimit = 50

// Show is the inbox: what waits for the viewer, unread first, then the
// oldest first, or what his filter asks for.
func (s *Inbox) Show(c echo.Context) error {
	q := c.QueryParams()
	f, err := request.InboxFilter(q, s.Clock.Now())
	if err != nil {
		return err
	}
	v, ctx := request.Viewer(c), c.Request().Context()
	list, next, err := s.Store.Inbox(ctx, v, f, agent.Page{Limit: inboxLimit, Cursor: q.Get("cursor")})
	if err != nil {
		return err
	}
	props := page.ApprovalsProps{Filter: s.filterProps(q, f), Later: q.Get("cursor") != "", CSRF: s.Sessions.FormToken(c), Back: q.Encode()}
	if props.Bulk, err = s.takeBulk(c); err != nil {
		return err
	}
	ids := idsOf(list)
	looking, err := s.Presence.Watchers(ctx, v, ids)
	if err != nil {
		return err
	}
	for _, e := range list {
		row := s.Cards.Row(v, e, looking[e.ID].Text())
		props.Pickable = props.Pickable || row.Pick != ""
		props.Rows = append(props.Rows, row)
	}
	if next != "" {
		props.Next = "/approvals?" + nextQuery(q, next)
	}
	props.Live = v.Role.Reviews() && f.Status == agent.ApprovalPending
	frame := s.shell(c, "Approvals", "approvals")
	frame.Inbox = inboxQuery(ids, props.Whole())
	return s.render(c, http.StatusOK, page.Approvals(frame, props))
}

func idsOf(list []agent.InboxEntry) []string {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids
}

func nextQuery(q url.Values, cursor string) string {
	out := url.Values{}
	for k, v := range q {
		out[k] = v
	}
	out.Set("cursor", cursor)
	return out.Encode()
}

// inboxQuery tells the inbox's socket what the page shows: its rows, and
// whether it shows all that waits, so that new ones are to be added.
func inboxQuery(ids []string, whole bool) string {
	q := url.Values{"rows": {strings.Join(ids, ",")}}
	if whole {
		q.Set("whole", "true")
	}
	return "&" + q.Encode()
}
