package page

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
	"fusebox/web/site"
)

const (
	documentsStatePath = "/documents/state"
	documentUsePath    = "/admin/documents"
)

// State shows how the viewer's documents stand.
func (s *Documents) State(c echo.Context) error {
	st, err := s.Service.Documents.State(c.Request().Context(), request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	p := page.DocumentsStateProps{DocumentsState: st, Admin: request.Viewer(c).Role == agent.RoleAdmin}
	if !s.Visibility.TokensOnly(request.Viewer(c)) {
		p.CostThisMonth, p.CostEver = present.Money(st.EmbeddedThisMonth.CostMicros), present.Money(st.EmbeddedEver.CostMicros)
	}
	return s.Render(c, http.StatusOK, page.DocumentsState(s.Shell(c, site.Words(c).T("document.status.title"), "documents"), p))
}

// ReadFailedAgain has what the reader failed on be read once more.
func (s *Documents) ReadFailedAgain(c echo.Context) error {
	n, err := s.Service.Documents.ReadFailedAgain(c.Request().Context(), request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	return s.Back(c, documentsStatePath, site.Words(c).T("document.status.again", int(n)))
}

// Use shows admins what the documents of people take.
func (s *Documents) Use(c echo.Context) error {
	query, tr := site.Searched(c), site.Words(c)
	order := agent.DocumentUseOrder(c.QueryParam("sort"))
	if all := agent.DocumentUseOrders(); !slices.Contains(all, order) {
		order = all[0] // the usual one
	}
	found, next, all, err := s.Service.Documents.Use(c.Request().Context(), query, order, agent.Page{Cursor: c.QueryParam("cursor")})
	if err != nil {
		return err
	}
	p := page.DocumentUseProps{Query: query, All: useLine(tr, all), CSV: documentUsePath + ".csv"}
	for _, u := range found {
		p.People = append(p.People, useLine(tr, u))
	}
	to := func(by agent.DocumentUseOrder, cursor string) string {
		q := url.Values{"sort": {string(by)}}
		if query != "" {
			q.Set("find", query)
		}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		return documentUsePath + "?" + q.Encode()
	}
	for _, by := range []agent.DocumentUseOrder{
		agent.OrderName, agent.OrderDocuments, agent.OrderVersions, agent.OrderBytes, agent.OrderPassages, agent.OrderFailed, agent.OrderWaiting,
		agent.OrderTokens, agent.OrderCost, agent.OrderAdded,
	} {
		p.Columns = append(p.Columns, page.UseColumn{By: by, Href: to(by, ""), Current: by == order})
	}
	if next != "" {
		p.Next = to(order, next)
	}
	return s.Render(c, http.StatusOK, page.DocumentUse(s.Shell(c, tr.T("document.use.title"), "use"), p))
}

func useLine(tr *text.Printer, u agent.DocumentUse) page.UseLine {
	return page.UseLine{DocumentUse: u, Tokens: tr.Amount(u.Embedded.InputTokens), Cost: present.Money(u.Embedded.CostMicros)}
}

// UseCSV is the table as a file, with all people.
func (s *Documents) UseCSV(c echo.Context) error {
	found, err := s.Store.DocumentUse(c.Request().Context())
	if err != nil {
		return err
	}
	return request.WriteDocumentUseCSV(c, found)
}

// DeleteAll deletes all documents of a person.
func (s *Documents) DeleteAll(c echo.Context) error {
	if err := s.Service.Documents.DeleteAll(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return s.Back(c, documentUsePath, site.Words(c).T("document.use.deleted"))
}
