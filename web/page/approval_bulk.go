package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/web/present"
	"fusebox/web/request"
)

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
	items, err := bulkItems(form["item"])
	if err == nil {
		said.Results, err = s.Desk.DecideMany(c.Request().Context(), request.Viewer(c), items, said.Verb, strings.TrimSpace(form.Get("comment")))
	}
	if err != nil && agent.CodeOf(err) != agent.Invalid {
		return err
	}
	if err != nil {
		said.Problem = agent.MessageOf(err)
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	s.Sessions.Keep(c.Request().Context(), sessionBulk, string(text))
	return c.Redirect(http.StatusSeeOther, inboxPath(form.Get("back")))
}

// inboxPath is the inbox with the filter that a form came from.
func inboxPath(query string) string {
	q, err := url.ParseQuery(query)
	if err != nil || len(q) == 0 {
		return "/approvals"
	}
	return "/approvals?" + q.Encode()
}

// bulkItems reads what the boxes hold: id, generation and hash.
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
	text := s.Sessions.Take(ctx, sessionBulk)
	if text == "" {
		return page.BulkSaid{}, nil
	}
	var said bulkSaid
	if err := json.Unmarshal([]byte(text), &said); err != nil {
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
	return bulkProps(said, entries), nil
}

// bulkProps names each result by what it was about, where the viewer may see that.
func bulkProps(said bulkSaid, entries []agent.InboxEntry) page.BulkSaid {
	known := map[string]agent.InboxEntry{}
	for _, e := range entries {
		known[e.ID] = e
	}
	out := page.BulkSaid{Problem: said.Problem}
	for _, r := range said.Results {
		item := page.BulkResult{ID: r.ID, OK: r.OK, Text: r.Error}
		if e, ok := known[r.ID]; ok {
			item.What = present.InboxWhat(e.Approval)
			item.Gist, _ = present.InboxGist(e.Approval)
		}
		if r.OK {
			item.Text = present.SettledVerbs[said.Verb].Verb
			out.Done++
		}
		out.Results = append(out.Results, item)
	}
	return out
}
