package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/part"
)

// Bounds of the summary of a run beside its approval.
const (
	maxSoFar     = 40
	maxSoFarText = 4000
	maxSoFarGist = 120
)

// pageApproval shows one approval with the run that waits for it. NotFound for
// what the viewer may not see.
func (s *Server) pageApproval(c echo.Context) error {
	a, err := s.Store.Approval(c.Request().Context(), viewerOf(c), c.Param("id"))
	if err != nil {
		return err
	}
	return s.showApproval(c, http.StatusOK, *a, "", part.Draft{})
}

// showApproval renders the page of a, with what was typed into its form if a
// decision was not taken, and why.
func (s *Server) showApproval(c echo.Context, status int, a agent.Approval, problem string, draft part.Draft) error {
	v := viewerOf(c)
	ctx := c.Request().Context()
	rec, err := s.runRecord(ctx, v, a.RunID)
	if err != nil {
		return err
	}
	pending, err := s.Store.CountPending(ctx, v)
	if err != nil {
		return err
	}
	if a.Status == agent.ApprovalPending && pending > 0 {
		pending-- // this one
	}
	frame := s.shell(c, cardHead(a), "approvals")
	card := approvalProps(a, s.Desk.MayDecide(v, a), s.csrfOf(c))
	card.Alone, card.Draft = true, draft
	props := page.ApprovalProps{
		Card: card, NotLoop: notLoopProps(a, s.Desk.MayDecide(v, a)), Problem: problem, Run: a.RunID, Conversation: rec.href, ConversationTitle: rec.conv,
		Owner: rec.owner, Fuses: rec.fuses(), Others: pending,
	}
	props.SoFar, props.Earlier = rec.soFar()
	return s.render(c, status, page.Approval(frame, props))
}

// soFar lists what was said and done in the run, the newest at the end, and
// how many entries it leaves out at the beginning.
func (r *runRecord) soFar() (list []page.SoFar, earlier int) {
	for _, e := range r.events {
		if m, ok := e.Data.(agent.MessageEvent); ok {
			list = append(list, r.said(m.Message)...)
		}
	}
	earlier = max(0, len(list)-maxSoFar)
	return list[earlier:], earlier
}

// said is one message as entries: its text, and one for each call it asks for.
func (r *runRecord) said(m agent.Message) []page.SoFar {
	switch m.Role {
	case agent.FromUser:
		return []page.SoFar{entry(r.owner, m.Content, false)}
	case agent.FromTool:
		return []page.SoFar{entry("Result", m.Content, true)}
	}
	var list []page.SoFar
	if m.Content != "" {
		list = append(list, entry("Model", m.Content, false))
	}
	for _, call := range m.ToolCalls {
		list = append(list, entry("Calls "+call.Name, plainJSON(call.Arguments), true))
	}
	return list
}

// entry folds a text: its first words, and the whole of it where that is more.
func entry(who, text string, mono bool) page.SoFar {
	e := page.SoFar{Who: who, Gist: clip(text, maxSoFarGist), Mono: mono}
	if e.Gist != text {
		e.Text = clipBytes(text, maxSoFarText)
	}
	return e
}
