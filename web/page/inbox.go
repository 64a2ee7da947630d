package page

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/live"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Inbox shows the pages about inbox and takes their forms.
type Inbox struct {
	*site.Site
	Cards    *live.Cards
	Presence *live.Presence
	Tools    agent.Toolbox
}

// inboxLimit is how many approvals one page of the inbox shows.
const inboxLimit = 50

// Show is the inbox: what waits for the viewer, by risk and then by deadline, or what their filter asks for.
func (s *Inbox) Show(c echo.Context) error {
	site.MayReturn(c)
	q := c.QueryParams()
	f, err := request.InboxFilter(q, s.Clock.Now())
	if err != nil {
		return err
	}
	v, ctx := request.Viewer(c), c.Request().Context()
	props := page.ApprovalsProps{Filter: s.filterProps(site.Words(c), q, f), Later: q.Get("cursor") != "", CSRF: s.Sessions.FormToken(c), Back: q.Encode()}
	f.Grouped = !props.Filter.Narrow
	f.By = agent.ByViewer
	title := site.Words(c).T("page.title.approvals")
	if props.OnlyOthers = f.Status == agent.ApprovalPending && q.Get(waitsField) == string(agent.ByOthers); props.OnlyOthers {
		f.By, props.Filter.Narrow, props.Filter.Waits = agent.ByOthers, true, string(agent.ByOthers)
		title = site.Within(site.Words(c).T("inbox.others.title"), title)
	}
	list, next, err := s.Store.Inbox(ctx, v, f, agent.Page{Limit: inboxLimit, Cursor: q.Get("cursor")})
	if err != nil {
		return err
	}
	others, err := s.others(c, f, &props)
	if err != nil {
		return err
	}
	if props.Decided, err = takeDecided(c, s.Sessions, s.Store, s.Visibility); err != nil {
		return err
	}
	if props.Bulk, err = s.takeBulk(c); err != nil {
		return err
	}
	if len(list)+len(others) > 0 {
		looking, err := s.Presence.Watchers(ctx, v, append(idsOf(list), idsOf(others)...))
		if err != nil {
			return err
		}
		row := func(e agent.InboxEntry) page.InboxRow { return s.Cards.Row(ctx, v, e, looking[e.ID].Text(ctx)) }
		props.Groups, props.Others = groups(list, row), groups(others, row)
	}
	for _, g := range props.Groups {
		props.Pickable = props.Pickable || g[0].Pick != ""
	}
	if next != "" {
		props.Next = "/approvals?" + with(q, "cursor", next)
	}
	props.Live = v.Role.Reviews() && f.Status == agent.ApprovalPending
	frame := s.Shell(c, title, "approvals")
	frame.Inbox = inboxQuery(idsOf(list), idsOf(others), props.Whole())
	return s.Render(c, http.StatusOK, page.Approvals(frame, props))
}

// others is what waits for others, beside the first page of what waits for the viewer.
func (s *Inbox) others(c echo.Context, f agent.ApprovalFilter, props *page.ApprovalsProps) ([]agent.InboxEntry, error) {
	if f.Status != agent.ApprovalPending || props.OnlyOthers || props.Later {
		return nil, nil
	}
	f.By = agent.ByOthers
	list, next, err := s.Store.Inbox(c.Request().Context(), request.Viewer(c), f, agent.Page{Limit: inboxLimit})
	if next != "" {
		props.OthersAll = "/approvals?" + with(c.QueryParams(), waitsField, string(agent.ByOthers))
	}
	return list, err
}

// waitsField is the field of the query that has the page list what waits for others.
const waitsField = "waits"

// groups are the rows of a list; those that ask for the same stand with the
// first of them.
func groups(list []agent.InboxEntry, row func(agent.InboxEntry) page.InboxRow) []page.InboxGroup {
	var groups []page.InboxGroup
	first := map[string]int{}
	for _, e := range list {
		same := present.SameWish(e)
		if at, known := first[same]; known && same != "" {
			groups[at] = append(groups[at], row(e))
			continue
		}
		first[same] = len(groups)
		groups = append(groups, page.InboxGroup{row(e)})
	}
	return groups
}

func idsOf(list []agent.InboxEntry) []string {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids
}

// with is a query with one field set.
func with(q url.Values, field, value string) string {
	out := maps.Clone(q)
	out.Set(field, value)
	return out.Encode()
}

// inboxQuery tells the inbox's socket what the page shows: its rows, those beside
// them that wait for others, and whether it shows all that waits, so that new ones are to be added.
func inboxQuery(ids, others []string, whole bool) string {
	q := url.Values{"rows": {strings.Join(ids, ",")}, "others": {strings.Join(others, ",")}}
	if whole {
		q.Set("whole", "true")
	}
	return "&" + q.Encode()
}

// sessionBulk keeps what became of a bulk decision for the page that shows it.
const sessionBulk = "bulk"

// bulkSaid is what became of a bulk decision. Problem is why there was none.
type bulkSaid struct {
	Verb    agent.Verb
	Results []service.BulkResult
	Problem string
}

// DecideMany takes the form below the inbox: an explicit list of what was
// ticked, as it was shown. It leads back to the list, which says what became of
// each.
func (s *Inbox) DecideMany(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return agent.Wrap(agent.Invalid, err, "The form could not be read. Go back and try again.")
	}
	said := bulkSaid{Verb: agent.Verb(form.Get("decision"))}
	values := form["item"]
	if one := form.Get("one"); one != "" { // the button of a row
		verb, item, _ := strings.Cut(one, ":")
		said.Verb, values = agent.Verb(verb), []string{item}
	}
	items, err := bulkItems(values)
	if err == nil {
		said.Results, err = s.Service.Approvals.DecideMany(c.Request().Context(), request.Viewer(c), items, said.Verb, strings.TrimSpace(form.Get("comment")))
	}
	if err != nil && agent.CodeOf(err) != agent.Invalid {
		return err
	}
	if inPlace(c) {
		return s.answerOne(c, said, err)
	}
	if err != nil {
		said.Problem = request.Said(site.Words(c), err)
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	s.Sessions.Keep(c.Request().Context(), sessionBulk, string(text))
	return c.Redirect(http.StatusSeeOther, inboxPath(form.Get("back")))
}

// answerOne tells the page's script what became of a row: the list changes by itself.
func (s *Inbox) answerOne(c echo.Context, said bulkSaid, err error) error {
	if err == nil && len(said.Results) == 1 && !said.Results[0].OK {
		err = agent.Errorf(agent.Conflict, "%s", said.Results[0].Error)
	}
	if err != nil {
		return request.WriteProblem(c, s.Visibility.ProblemFor(c, err))
	}
	return c.NoContent(http.StatusNoContent)
}

// inboxPath is the inbox with the filter that a form came from.
func inboxPath(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil || len(q) == 0 {
		return "/approvals"
	}
	return "/approvals?" + q.Encode()
}

// bulkItems reads the values of the boxes: id, generation and hash.
func bulkItems(values []string) ([]service.BulkItem, error) {
	var items []service.BulkItem
	for _, value := range values {
		id, rest, _ := strings.Cut(value, ":")
		generation, hash, ok := strings.Cut(rest, ":")
		n, err := strconv.Atoi(generation)
		if !ok || err != nil || id == "" {
			return nil, agent.InvalidField("item", "is not id:generation:hash as it was shown; reload the page")
		}
		items = append(items, service.BulkItem{ID: id, Generation: n, ArgsHash: hash})
	}
	return items, nil
}

// takeBulk returns what became of the bulk decision before this page, once.
func (s *Inbox) takeBulk(c echo.Context) (page.BulkSaid, error) {
	ctx := c.Request().Context()
	stored := s.Sessions.Take(ctx, sessionBulk)
	if stored == "" {
		return page.BulkSaid{}, nil
	}
	var said bulkSaid
	if err := json.Unmarshal([]byte(stored), &said); err != nil {
		return page.BulkSaid{}, err
	}
	ids := make([]string, len(said.Results))
	for i, r := range said.Results {
		ids[i] = r.ID
	}
	entries, err := s.Store.InboxEntries(ctx, request.Viewer(c), ids)
	if err != nil {
		return page.BulkSaid{}, err
	}
	return bulkProps(text.In(ctx), said, s.Visibility.Entries(request.Viewer(c), entries)), nil
}

// bulkProps names each result by what it was about, where the viewer may see that.
func bulkProps(tr *text.Printer, said bulkSaid, entries []agent.InboxEntry) page.BulkSaid {
	known := map[string]agent.InboxEntry{}
	for _, e := range entries {
		known[e.ID] = e
	}
	out := page.BulkSaid{Problem: said.Problem}
	for _, r := range said.Results {
		item := page.BulkResult{ID: r.ID, OK: r.OK, Text: r.Error}
		if e, ok := known[r.ID]; ok {
			wish := present.WishOf(tr, e.Approval)
			item.What, item.Gist = wish.What, wish.Gist
		}
		if r.OK {
			item.Text = present.SettledVerb(tr, said.Verb)
			out.Done++
		}
		out.Results = append(out.Results, item)
	}
	return out
}
