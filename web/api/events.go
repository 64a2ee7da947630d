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
// ?after= on, live unless ?follow=false, with ?compat=1 translated for clients that
// know only the classic types.
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
	r := s.Log.Reader(conv.ID, after, s.Visibility.TokensOnly(request.Viewer(c)))
	if err := r.UseCompat(c); err != nil {
		return err
	}
	if follow != "false" {
		var release func()
		if ctx, release, err = s.Streams.OpenStream(ctx, c); err != nil {
			return err
		}
		defer release()
	}
	w := openLog(c)
	if err := w.control.Flush(); err != nil {
		return err
	}
	if c.Request().Method == http.MethodHead {
		return nil
	}
	r.Beat = w.beat
	if err = r.Follow(ctx, follow != "false", w.write); err != nil && c.Request().Context().Err() == nil {
		s.Logger.Debug("an event log broke off", "conversation_id", conv.ID, "error", err)
		panic(http.ErrAbortHandler) // the reader must not take this for the end of the log
	}
	return nil
}

// keptLines bounds the buffer that an idle event log keeps.
const keptLines = 16 << 10

// logWriter answers with events, one a line, each batch at once.
type logWriter struct {
	res     *echo.Response
	control *http.ResponseController
	lines   []byte
}

func openLog(c echo.Context) *logWriter {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "application/x-ndjson")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies that buffer would hold events back
	c.Response().WriteHeader(http.StatusOK)
	return &logWriter{res: c.Response(), control: http.NewResponseController(c.Response())}
}

func (w *logWriter) write(events []agent.Event) error {
	if w.lines = w.lines[:0]; cap(w.lines) > keptLines {
		w.lines = nil
	}
	for _, e := range events {
		var err error
		if w.lines, err = e.AppendJSON(w.lines); err != nil {
			return err
		}
		w.lines = append(w.lines, '\n')
	}
	return w.send(w.lines)
}

// beat is an empty line: there is nothing to tell, and the connection is alive.
func (w *logWriter) beat() error { return w.send([]byte{'\n'}) }

func (w *logWriter) send(lines []byte) error {
	// A reader that takes nothing must not hold a connection for ever.
	if err := w.control.SetWriteDeadline(time.Now().Add(live.SocketWrite)); err != nil {
		return err
	}
	if _, err := w.res.Write(lines); err != nil {
		return err
	}
	return w.control.Flush()
}
