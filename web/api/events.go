package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/live"
	"fusebox/web/request"
)

// Events is GET /api/v1/conversations/{id}/events: the log as NDJSON, from
// ?after= on, live unless ?follow=false.
func (s *Conversations) Events(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := s.Store.Conversation(ctx, request.Viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	after, err := live.AfterOf(c)
	if err != nil {
		return err
	}
	follow := c.QueryParam("follow")
	if err := request.OneOf("follow", follow, "true", "false"); err != nil {
		return err
	}
	if follow != "false" {
		var release func()
		if ctx, release, err = s.Streams.OpenStream(ctx, c); err != nil {
			return err
		}
		defer release()
	}
	r := s.Log.Reader(conv.ID, after, s.Visibility.TokensOnly(request.Viewer(c)))
	err = writeLog(c, func(emit func([]agent.Event) error) error {
		return r.Follow(ctx, follow != "false", emit)
	})
	if err != nil && c.Request().Context().Err() == nil {
		s.Logger.Debug("an event log broke off", "conversation_id", conv.ID, "error", err)
		panic(http.ErrAbortHandler) // the reader must not take this for the end of the log
	}
	return nil
}

// keptLines bounds the buffer that an idle event log keeps.
const keptLines = 16 << 10

// writeLog answers with what follow emits, one event a line, each batch at once.
func writeLog(c echo.Context, follow func(emit func([]agent.Event) error) error) error {
	res := c.Response()
	res.Header().Set(echo.HeaderContentType, "application/x-ndjson")
	res.Header().Set("Cache-Control", "no-store")
	res.WriteHeader(http.StatusOK)
	control := http.NewResponseController(res)
	if err := control.Flush(); err != nil {
		return err
	}
	var lines []byte
	return follow(func(events []agent.Event) error {
		// A reader that takes nothing must not hold a connection for ever.
		if err := control.SetWriteDeadline(time.Now().Add(live.SocketWrite)); err != nil {
			return err
		}
		if lines = lines[:0]; cap(lines) > keptLines {
			lines = nil
		}
		for _, e := range events {
			var err error
			if lines, err = e.AppendJSON(lines); err != nil {
				return err
			}
			lines = append(lines, '\n')
		}
		if _, err := res.Write(lines); err != nil {
			return err
		}
		return control.Flush()
	})
}
