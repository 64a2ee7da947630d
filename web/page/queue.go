package page

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/request"
)

// ChangeQueue does what a button of the queue says. The page's script needs no other page for it.
func (s *Chat) ChangeQueue(c echo.Context) error {
	chat := c.Param("id")
	if _, err := s.Service.Conversations.Own(c.Request().Context(), request.Viewer(c), chat); err != nil {
		return err
	}
	ctx, v, queued := c.Request().Context(), request.Viewer(c), c.FormValue("queued")
	var err error
	switch c.FormValue("do") {
	case "resume":
		err = s.Service.Messages.ResumeQueue(ctx, v, chat)
	case "remove":
		err = s.Service.Messages.RemoveQueued(ctx, v, chat, queued)
	case "edit":
		content := c.FormValue("content")
		err = s.Service.Messages.ChangeQueued(ctx, v, chat, queued, agent.QueuedPatch{Content: &content})
	case "up":
		err = s.moveQueued(ctx, v, chat, queued, -1)
	case "down":
		err = s.moveQueued(ctx, v, chat, queued, 1)
	case "steer":
		_, err = s.Service.Messages.SteerQueued(ctx, v, chat, queued)
	default:
		return agent.InvalidField("do", "is none of the buttons of a queue")
	}
	if err != nil {
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
