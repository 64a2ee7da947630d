package page

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
)

// AcceptOpenAPI takes the new and changed tools of a service as they were shown.
func (s *Tools) AcceptOpenAPI(c echo.Context) error {
	seen := c.FormValue("seen")
	if seen == "" {
		return agent.InvalidField("seen", "is missing; it is required")
	}
	if _, err := s.OpenAPI.AcceptOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), seen); err != nil {
		return s.refuse(c, err)
	}
	s.Sessions.Flash(c, words(c).T("page.tools.accepted", c.Param("name")))
	return c.Redirect(http.StatusSeeOther, "/admin/tools#openapi-"+c.Param("name"))
}

// UploadOpenAPI takes a document, and says on the page where it is wrong.
func (s *Tools) UploadOpenAPI(c echo.Context) error {
	document, err := request.DocumentOf(c)
	if err == nil {
		_, err = s.OpenAPI.UploadOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), document)
	}
	if said := request.FieldErrors(words(c), err)["file"]; said != "" {
		problem := words(c).T("page.tools.document_refused", document.Name, invisible.Visible(said))
		return s.show(c, http.StatusUnprocessableEntity, toolsInput{problem: problem, at: "openapi-" + c.Param("name")})
	}
	if err != nil {
		return s.refuse(c, err)
	}
	s.Sessions.Flash(c, words(c).T("page.tools.document_taken", c.Param("name")))
	return c.Redirect(http.StatusSeeOther, "/admin/tools#openapi-"+c.Param("name"))
}

// openAPIRows are the services as the page shows them.
func openAPIRows(tr *text.Printer, sources []agent.OpenAPISource) []page.OpenAPIRow {
	var rows []page.OpenAPIRow
	for _, s := range sources {
		row := page.OpenAPIRow{
			ToolServerRow: page.ToolServerRow{
				Name: s.Name, Runs: s.URL, State: present.ServerState(tr, s.State), Problem: invisible.Visible(s.Problem), Seen: s.Seen,
				Accept: "/admin/tools/openapi/" + s.Name + "/accept",
			},
			Title: invisible.Visible(s.Title + " " + s.Version), Document: invisible.Visible(s.Document),
			Uploads: s.Uploads, UploadedBy: s.UploadedBy, UploadedAt: s.UploadedAt, Empty: s.State == agent.ServerEmpty,
		}
		row.Tools, row.Held = serverToolRows(tr, s.Tools)
		for _, o := range s.LeftOut {
			row.LeftOut = append(row.LeftOut, page.ServerToolRow{Name: invisible.Visible(o.Operation), Now: invisible.Visible(o.Why)})
		}
		rows = append(rows, row)
	}
	return rows
}
