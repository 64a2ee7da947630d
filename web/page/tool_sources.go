package page

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
	"fusebox/web/request"
	"fusebox/web/site"
)

// AcceptServer takes the new and changed tools of a server as they were shown.
func (s *Tools) AcceptServer(c echo.Context) error {
	return accept(c, s, "server-", s.Servers.AcceptTools)
}

// AcceptOpenAPI takes the new and changed tools of a service as they were shown.
func (s *Tools) AcceptOpenAPI(c echo.Context) error {
	return accept(c, s, "openapi-", s.OpenAPI.AcceptOpenAPI)
}

// accept leads to where the source of the tools is listed on the page.
func accept[Source any](c echo.Context, s *Tools, list string, take func(context.Context, agent.Viewer, string, string) (Source, error)) error {
	name, seen := c.Param("name"), c.FormValue("seen")
	if seen == "" {
		return agent.InvalidField("seen", "is missing; it is required")
	}
	if _, err := take(c.Request().Context(), request.Viewer(c), name, seen); err != nil {
		return s.refuse(c, err)
	}
	return s.Back(c, "/admin/tools#"+list+name, site.Words(c).T("page.tools.accepted", name))
}

// serverRows are the servers as the page shows them.
func serverRows(tr *text.Printer, servers []agent.ToolServer) []page.ToolServerRow {
	var rows []page.ToolServerRow
	for _, s := range servers {
		row := page.ToolServerRow{
			Name: s.Name, Transport: s.Transport, Runs: invisible.Visible(s.Runs), State: present.ServerState(tr, s.State),
			Problem: tr.Recorded(invisible.Visible(s.Problem)), Reach: reach(tr, s), Seen: s.Seen,
			Accept: "/admin/tools/servers/" + s.Name + "/accept",
		}
		row.Tools, row.Held = serverToolRows(tr, s.Tools)
		row.Says, row.MoreHeld = serverSays(s.Tools)
		rows = append(rows, row)
	}
	return rows
}

// serverToolRows are the tools that are offered, and those that are held back.
func serverToolRows(tr *text.Printer, tools []agent.ServerTool) (offered, held []page.ServerToolRow) {
	for _, t := range tools {
		switch {
		case t.Held:
			held = append(held, heldRow(tr, t))
		case !t.Instructions:
			offered = append(offered, page.ServerToolRow{Name: t.Name, Now: invisible.Visible(t.Description)})
		}
	}
	return offered, held
}

// serverSays are the instructions of a server, as they were accepted; waits says that
// others wait for an admin.
func serverSays(tools []agent.ServerTool) (says string, waits bool) {
	for _, t := range tools {
		switch {
		case t.Instructions && t.Held:
			waits = true
		case t.Instructions:
			says = invisible.Visible(t.Description)
		}
	}
	return says, waits
}

// heldRow is what an admin has to accept: a tool, or the server's instructions.
func heldRow(tr *text.Printer, t agent.ServerTool) page.ServerToolRow {
	shown := toolText
	held := page.ServerToolRow{Name: t.Name}
	if t.Instructions {
		held.Name = tr.T("policy.servers.instructions")
		shown = func(says string, _, _ []byte) string { return invisible.Visible(says) }
	}
	held.Now = shown(t.Description, t.Parameters, t.Claims)
	if t.Was != nil {
		held.Was = shown(t.Was.Description, t.Was.Parameters, t.Was.Claims)
	}
	return held
}

// toolText is all of a tool that a model or a reviewer goes by.
func toolText(description string, parameters, claims []byte) string {
	shown := invisible.Visible(description) + "\n\n" + invisible.Visible(jsontext.Indent(string(parameters)))
	if len(claims) > 0 {
		shown += "\n\n" + invisible.Visible(jsontext.Indent(string(claims)))
	}
	return shown
}

// reach says what the process of a server may use.
func reach(tr *text.Printer, s agent.ToolServer) []string {
	if s.Walls == nil {
		return nil
	}
	if !s.Walls.Hold {
		return []string{tr.T("page.tools.server_open")}
	}
	says := []string{tr.T("page.tools.server_walls")}
	if len(s.Read) > 0 {
		says = append(says, tr.T("page.tools.server_reads", strings.Join(s.Read, ", ")))
	}
	if len(s.Write) > 0 {
		says = append(says, tr.T("page.tools.server_writes", strings.Join(s.Write, ", ")))
	}
	if s.Network {
		says = append(says, tr.T("page.tools.server_network"))
	}
	return says
}

// UploadOpenAPI takes a document, and says on the page where it is wrong.
func (s *Tools) UploadOpenAPI(c echo.Context) error {
	document, err := request.DocumentOf(c)
	if err == nil {
		_, err = s.OpenAPI.UploadOpenAPI(c.Request().Context(), request.Viewer(c), c.Param("name"), document)
	}
	if said := request.FieldErrors(site.Words(c), err)["file"]; said != "" {
		problem := site.Words(c).T("page.tools.document_refused", document.Name, invisible.Visible(said))
		return s.show(c, http.StatusUnprocessableEntity, toolsInput{problem: problem, at: "openapi-" + c.Param("name")})
	}
	if err != nil {
		return s.refuse(c, err)
	}
	return s.Back(c, "/admin/tools#openapi-"+c.Param("name"), site.Words(c).T("page.tools.document_taken", c.Param("name")))
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
