package mcp

import (
	"net/http"
	"time"

	"fusebox/web/live"
)

// writer gives up on a client that takes nothing: it must not hold a connection, and the
// calls that report to it, for ever.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newWriter(w http.ResponseWriter) *writer {
	return &writer{w, http.NewResponseController(w)}
}

func (w *writer) Write(b []byte) (int, error) {
	if err := w.control.SetWriteDeadline(time.Now().Add(live.SocketWrite)); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets the answer be flushed.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
