package page

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/request"
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
	return s.render(c, http.StatusOK, page.DocumentsState(s.shell(c, words(c).T("document.status.title"), "documents"), p))
}

// ReadFailedAgain has what the reader failed on be read once more.
func (s *Documents) ReadFailedAgain(c echo.Context) error {
	n, err := s.Service.Documents.ReadFailedAgain(c.Request().Context(), request.Viewer(c).UserID)
	if err != nil {
		return err
	}
	return s.back(c, documentsStatePath, words(c).T("document.status.again", int(n)))
}

// Use shows admins what the documents of people take.
func (s *Documents) Use(c echo.Context) error {
	query, tr := searched(c), words(c)
	by := useOrder(c)
	found, next, all, err := s.Service.Documents.Use(c.Request().Context(), query, by, agent.Page{Cursor: c.QueryParam("cursor")})
	if err != nil {
		return err
	}
	p := page.DocumentUseProps{Query: query, All: useLine(tr, all), CSV: documentUsePath + ".csv"}
	for _, u := range found {
		p.People = append(p.People, useLine(tr, u))
	}
	to := func(by service.DocumentUseOrder, cursor string) string {
		q := url.Values{"sort": {string(by)}}
		if query != "" {
			q.Set("find", query)
		}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		return documentUsePath + "?" + q.Encode()
	}
	for _, column := range useColumns {
		p.Columns = append(p.Columns, page.UseColumn{Label: tr.T(column.label), Href: to(column.by, ""), Current: column.by == by, Number: column.by != service.OrderName && column.by != service.OrderAdded})
	}
	if next != "" {
		p.Next = to(by, next)
	}
	return s.render(c, http.StatusOK, page.DocumentUse(s.shell(c, tr.T("document.use.title"), "use"), p))
}

// useColumns are the columns of the table, by which people are put in order.
var useColumns = []struct {
	by    service.DocumentUseOrder
	label string
}{
	{service.OrderName, "document.use.person"}, {service.OrderDocuments, "document.use.documents"}, {service.OrderVersions, "document.use.versions"},
	{service.OrderBytes, "document.use.bytes"}, {service.OrderPassages, "document.use.passages"}, {service.OrderFailed, "document.use.failed"},
	{service.OrderWaiting, "document.use.waiting"}, {service.OrderTokens, "document.use.tokens"}, {service.OrderCost, "document.use.cost"},
	{service.OrderAdded, "document.use.added"},
}

// useOrder is the order that the address names; an unknown one is the usual one.
func useOrder(c echo.Context) service.DocumentUseOrder {
	by := service.DocumentUseOrder(c.QueryParam("sort"))
	if all := service.DocumentUseOrders(); !slices.Contains(all, by) {
		by = all[0]
	}
	return by
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
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	res.Header().Set("Cache-Control", "no-store")
	res.Header().Set(echo.HeaderContentDisposition, `attachment; filename="fusebox-documents.csv"`)
	records := [][]string{{"email", "documents", "versions", "bytes", "passages", "failed", "waiting", "tokens", "costMicros", "lastAddedAt"}}
	for _, u := range found {
		record := []string{request.NoFormula(u.Email)}
		for _, n := range []int64{int64(u.Documents), int64(u.Versions), u.Bytes, u.Passages, int64(u.Failed), int64(u.Waiting), u.Embedded.InputTokens, u.Embedded.CostMicros} {
			record = append(record, strconv.FormatInt(n, 10))
		}
		last := ""
		if at := request.RFC3339(u.LastAdded); at != nil {
			last = *at
		}
		records = append(records, append(record, last))
	}
	res.WriteHeader(http.StatusOK)
	return csv.NewWriter(res).WriteAll(records)
}

// DeleteAll deletes all documents of a person.
func (s *Documents) DeleteAll(c echo.Context) error {
	if err := s.Service.Documents.DeleteAll(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return s.back(c, documentUsePath, words(c).T("document.use.deleted"))
}
