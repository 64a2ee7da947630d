package page

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// queueDoes are what the buttons of a queue do.
var queueDoes = map[string]func(s *Chat, ctx context.Context, v agent.Viewer, chat, queued, content string) error{
	"resume": func(s *Chat, ctx context.Context, v agent.Viewer, chat, _, _ string) error {
		return s.Service.Messages.ResumeQueue(ctx, v, chat)
	},
	"remove": func(s *Chat, ctx context.Context, v agent.Viewer, chat, queued, _ string) error {
		return s.Service.Messages.RemoveQueued(ctx, v, chat, queued)
	},
	"edit": func(s *Chat, ctx context.Context, v agent.Viewer, chat, queued, content string) error {
		return s.Service.Messages.ChangeQueued(ctx, v, chat, queued, agent.QueuedPatch{Content: &content})
	},
	"up": func(s *Chat, ctx context.Context, v agent.Viewer, chat, queued, _ string) error {
		return s.moveQueued(ctx, v, chat, queued, -1)
	},
	"down": func(s *Chat, ctx context.Context, v agent.Viewer, chat, queued, _ string) error {
		return s.moveQueued(ctx, v, chat, queued, 1)
	},
	"steer": func(s *Chat, ctx context.Context, v agent.Viewer, chat, queued, _ string) error {
		_, err := s.Service.Messages.SteerQueued(ctx, v, chat, queued)
		return err
	},
}

// ChangeQueue does what a button of the queue says. The page's script needs no other page for it.
func (s *Chat) ChangeQueue(c echo.Context) error {
	chat := c.Param("id")
	if _, err := s.Service.Conversations.Own(c.Request().Context(), request.Viewer(c), chat); err != nil {
		return err
	}
	does, known := queueDoes[c.FormValue("do")]
	if !known {
		return agent.InvalidField("do", "is none of the buttons of a queue")
	}
	if err := does(s, c.Request().Context(), request.Viewer(c), chat, c.FormValue("queued"), c.FormValue("content")); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/c/"+chat+"#queue")
}

// moveQueued moves a message that waits by some places.
func (s *Chat) moveQueued(ctx context.Context, v agent.Viewer, chat, queued string, by int) error {
	q, err := s.Service.Messages.Queue(ctx, v, chat)
	if err != nil {
		return err
	}
	at := 0
	for _, it := range q.Items {
		if it.ID == queued {
			at = max(at+by, 0)
			return s.Service.Messages.ChangeQueued(ctx, v, chat, queued, agent.QueuedPatch{Position: &at})
		}
		if it.SteersRunID == "" {
			at++
		}
	}
	return s.Service.Messages.ChangeQueued(ctx, v, chat, queued, agent.QueuedPatch{Position: &at}) // it says that it is gone
}
