package page

import (
	"context"
	"html"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/present/markdown"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Copy answers a message to be copied: as markdown, the way it is stored; as text; or as HTML
// without anything of the page. Of an answer that is being written it is what there is.
func (s *Chat) Copy(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	as := c.QueryParam("as")
	if err := request.OneOf("as", as, "markdown", "text", "html"); err != nil {
		return err
	}
	m, err := s.Store.Message(ctx, request.Viewer(c), id, c.Param("message"))
	if agent.CodeOf(err) == agent.NotFound {
		m, err = s.beingWritten(ctx, request.Viewer(c), id, c.Param("message"), err)
	}
	if err != nil {
		return err
	}
	out := m.Content
	switch {
	case as == "html" && m.Role == agent.FromUser:
		out = "<p>" + strings.ReplaceAll(html.EscapeString(out), "\n", "<br>") + "</p>"
	case as == "html":
		out = markdown.Portable(site.Words(c), out, markdown.Sources{Anchor: "m-" + m.ID, Citations: m.Citations, Unknown: m.UnknownCitations, Hosts: m.LinkHosts})
	case as == "text" && m.Role == agent.FromAssistant:
		out = markdown.Text(out)
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.String(http.StatusOK, out)
}

// beingWritten is what there is of an answer that no message is yet; missing where there is none.
func (s *Chat) beingWritten(ctx context.Context, v agent.Viewer, conversationID, id string, missing error) (agent.Message, error) {
	if _, err := s.Store.Conversation(ctx, v, conversationID); err != nil {
		return agent.Message{}, err
	}
	newest, err := s.Store.Transcript(ctx, conversationID, agent.LogPart{Messages: 1})
	if err != nil {
		return agent.Message{}, err
	}
	begun := false
	var text strings.Builder
	for _, e := range newest.Events {
		switch d := e.Data.(type) {
		case agent.StepStart:
			begun = begun || d.MessageID == id
		case agent.TextDelta:
			if d.ID == id {
				text.WriteString(d.Delta)
			}
		case agent.MessageReset:
			if d.ID == id {
				text.Reset()
			}
		}
	}
	if !begun {
		return agent.Message{}, missing
	}
	return agent.Message{ID: id, Role: agent.FromAssistant, Content: text.String()}, nil
}

// Pin keeps a message word for word when the context is compacted, or no longer.
func (s *Chat) Pin(c echo.Context) error {
	id := c.Param("id")
	if err := s.Store.SetPinned(c.Request().Context(), request.Viewer(c), id, c.Param("message"), c.FormValue("pinned") == "true"); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, messageLink(id, c.Param("message")))
}
