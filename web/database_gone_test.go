package web_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web"
)

// takenAway is a store whose files are not its own any more: a query finds that before anybody
// has looked for them.
type takenAway struct{ service.Store }

func (takenAway) Collections(context.Context, string) ([]agent.Collection, error) {
	return nil, errors.New("disk I/O error")
}

func (takenAway) FilesIntact() error {
	return agent.Errorf(agent.Unavailable, "Another program has taken the database's files away.")
}

// TestDatabaseTakenAwayIsSaid: a request that fails because the database was taken away says so.
func TestDatabaseTakenAwayIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *web.Options) { o.Store = takenAway{o.Store} })
	ana := s.as(s.user("ana@example.org", agent.RoleUser))
	for _, path := range []string{"/api/v1/collections", "/documents"} {
		ana.get(path).check(t, want{status: http.StatusServiceUnavailable, has: []string{"taken the database"}})
	}
}
