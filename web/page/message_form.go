package page

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/gist"
	"fusebox/web/request"
	"fusebox/web/site"
)

// namedEffects is how many calls a form names that stay done.
const namedEffects = 3

// ShowMessageForm is the page on which a message is changed, answered once more, or deleted. Who only
// reads the chat is led back to it.
func (s *Chat) ShowMessageForm(does string) echo.HandlerFunc {
	return func(c echo.Context) error {
		conv, err := s.Store.Conversation(c.Request().Context(), request.Viewer(c), c.Param("id"))
		if err != nil {
			return err
		}
		if conv.OwnerID != request.Viewer(c).UserID {
			return c.Redirect(http.StatusSeeOther, "/c/"+conv.ID)
		}
		return s.messageForm(c, http.StatusOK, *conv, page.MessageForm{Does: does})
	}
}

func (s *Chat) messageForm(c echo.Context, status int, conv agent.Conversation, p page.MessageForm) error {
	ctx, v := c.Request().Context(), request.Viewer(c)
	m, err := s.Store.Message(ctx, v, conv.ID, c.Param("message"))
	if err != nil {
		return err
	}
	if p.Chat, p.ChatTitle, p.Message = conv.ID, site.TitleOf(site.Words(c), conv.Title), m.ID; p.Text == "" {
		p.Text = m.Content
	}
	with := m.DocumentID
	if p.Problem != "" {
		with = c.FormValue("document_id")
	}
	if p.Document, err = s.document(c, with); err != nil {
		return err
	}
	p.Closed = with != p.Document.ID
	if p.Effects, p.More, err = s.effects(ctx, v, m.ID); err != nil {
		return err
	}
	if p.Does == "delete" {
		below, err := s.Service.Messages.Below(ctx, v, m.ID)
		if err != nil {
			return err
		}
		p.Goes = below.Shown
	}
	p.Title = formTitle(site.Words(c), p.Does)
	if len(s.Service.Models.Offered()) > 1 {
		p.Models = site.ModelChoices(site.Words(c), s.Service.Models, "") // an agent may have one of its own
		p.Models[0].Label = site.Words(c).T("versions.usual_model")
	}
	return s.Render(c, status, page.MessageFormPage(s.Shell(c, site.Within(p.Title, p.ChatTitle), ""), p))
}

func formTitle(tr *text.Printer, does string) string {
	switch does {
	case "edit":
		return tr.T("versions.edit_title")
	case "again":
		return tr.T("versions.again_title")
	default:
		return tr.T("versions.delete_title")
	}
}

// effects are what the runs at and below a message did that stays done: the first calls, and how many more there are.
func (s *Chat) effects(ctx context.Context, v agent.Viewer, messageID string) (links []part.RunLink, more int, err error) {
	calls, err := s.Service.Messages.Effects(ctx, v, messageID)
	for _, call := range calls[:min(len(calls), namedEffects)] {
		spec, _ := s.Tools.Lookup(call.Name)
		links = append(links, part.RunLink{Name: strings.TrimSpace(call.Name + " " + gist.OfCall(call.Name, call.Args, spec.Parameters)), Card: "/runs/" + call.RunID})
	}
	return links, len(calls) - len(links), err
}

// ChangeMessage does what such a page was sent for.
func (s *Chat) ChangeMessage(does string) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, id, message := request.Viewer(c), c.Param("id"), c.Param("message")
		conv, err := s.Service.Conversations.Own(c.Request().Context(), v, id)
		if err != nil {
			return err
		}
		m, err := s.Store.Message(c.Request().Context(), v, id, message)
		if err != nil {
			return err
		}
		next, err := s.changed(c, does, m)
		switch {
		case err == nil:
			return c.Redirect(http.StatusSeeOther, next)
		case isPersons(err):
			p := page.MessageForm{Does: does, Text: c.FormValue("content"), Problem: request.Said(site.Words(c), err)}
			return s.messageForm(c, request.StatusOf(agent.CodeOf(err), http.MethodPost), *conv, p)
		default:
			return err
		}
	}
}

// changed changes a message, and returns where that is seen.
func (s *Chat) changed(c echo.Context, does string, m agent.Message) (next string, err error) {
	ctx, v, id := c.Request().Context(), request.Viewer(c), c.Param("id")
	switch does {
	case "edit":
		post, err := s.edited(c, m)
		if err != nil {
			return "", err
		}
		done, err := s.Service.Messages.Post(ctx, v, post)
		return fromMessage(id, done.MessageID), err
	case "again":
		done, err := s.Service.Messages.Regenerate(ctx, v, service.Regenerate{MessageID: m.ID, Model: c.FormValue("model")})
		return fromMessage(id, done.MessageID), err
	default:
		_, err := s.Service.Messages.DeleteMessage(ctx, v, m.ID)
		return "/c/" + id, err
	}
}

// Continue begins a run that goes on with an answer that was cut off.
func (s *Chat) Continue(c echo.Context) error {
	v, id := request.Viewer(c), c.Param("id")
	if _, err := s.Service.Conversations.Own(c.Request().Context(), v, id); err != nil {
		return err
	}
	m, err := s.Store.Message(c.Request().Context(), v, id, c.Param("message"))
	if err != nil {
		return err
	}
	if _, err := s.Service.Messages.Continue(c.Request().Context(), v, m.ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+id)
}

// edited is a message in the place of another one. What answered that one answers it, too, unless the form
// names another agent.
func (s *Chat) edited(c echo.Context, m agent.Message) (service.Post, error) {
	ctx := c.Request().Context()
	p := service.Post{
		ConversationID: m.ConversationID, Content: c.FormValue("content"), ParentID: cmp.Or(m.ParentID, agent.RootParent),
		DocumentID: c.FormValue("document_id"), Agent: c.FormValue("agent"),
	}
	if p.Agent != "" {
		return p, nil
	}
	run, err := s.Store.Run(ctx, request.Viewer(c), m.RunID)
	if err == nil {
		err = s.answeredLike(ctx, &p, *run)
	}
	if agent.CodeOf(err) == agent.NotFound {
		err = nil // it has been deleted: what the chat names answers
	}
	return p, err
}

// answeredLike has a message answered by the agent, or the workflow, that a run works by. NotFound where that
// has been deleted. A workflow that asks for more by now than was filled in then is left out.
func (s *Chat) answeredLike(ctx context.Context, p *service.Post, run agent.Run) error {
	flow := run.State.Workflow
	switch {
	case flow != nil:
		w, err := s.Store.Workflow(ctx, flow.Name, 0)
		if err != nil {
			return err
		}
		if inputs := w.KnownInputs(flow.Inputs); w.CheckInputs(inputs) == nil {
			p.Workflow, p.Inputs = flow.Name, inputs
		}
	case run.Agent != "":
		if _, err := s.Store.Agent(ctx, run.Agent, 0); err != nil {
			return err
		}
		p.Agent = run.Agent
	}
	return nil
}
