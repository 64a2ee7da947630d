package request

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"fusebox/agent"
)

// Caught runs f and turns a panic into an error. Goroutines of a request need
// it too: a panic that nobody catches there ends the process for everybody.
func Caught(log *slog.Logger, where string, f func() error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		log.Error("request panicked", "path", where, "panic", p, "stack", string(debug.Stack()))
		err = agent.Errorf(agent.Internal, "Something went wrong on the server. It has been logged; please try again.")
	}()
	return f()
}
