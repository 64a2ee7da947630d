package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
)

// A look at the database is good for readyFor: anybody may ask, and each look writes.
// One that takes longer than readyWait has failed.
const (
	readyFor  = 3 * time.Second
	readyWait = 5 * time.Second
)

// readiness remembers whether the database could be read and written.
type readiness struct {
	store service.Store
	clock agent.Clock

	mu    sync.Mutex // held while one looks for all who ask
	at    time.Time
	found error
}

// check is nil where the database is ready, Unavailable with words where it is not.
func (r *readiness) check(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.clock.Now(); r.at.IsZero() || now.Sub(r.at) >= readyFor {
		r.found, r.at = r.look(context.WithoutCancel(ctx)), now
	}
	return r.found
}

func (r *readiness) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	if err := r.store.Ready(ctx); err != nil {
		return err
	}
	return r.store.Writable(ctx)
}

// What watches the process asks under whatever name it has for the machine, so these
// are answered under any.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// healthGet is GET /healthz: the process answers.
func (s *Server) healthGet(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

// readyGet is GET /readyz: the database has this program's schema, and can be written.
func (s *Server) readyGet(c echo.Context) error {
	if err := s.ready.check(c.Request().Context()); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}
