package web

import (
	"cmp"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/web/live"
)

// MaxUserStreams is how many readers one account may have.
const MaxUserStreams = live.MaxUserStreams

// Door is a route as the tests see it.
type Door struct {
	Method, Path, Access, Owns string
	Scope                      agent.TokenScope
}

// Doors lists the route table.
func Doors() []Door {
	names := map[access]string{public: "public", signedIn: "signed in", programs: "programs", reviewers: "reviewers", admins: "admins", scrapers: "scrapers", localAdmins: "local admins"}
	var all []Door
	for _, r := range routes {
		all = append(all, Door{r.method, r.path, names[r.access], string(r.owns), r.scope})
	}
	return all
}

// Registered lists what the router really answers.
func (s *Server) Registered() []Door {
	var all []Door
	for _, r := range s.echo.Routes() {
		all = append(all, Door{Method: r.Method, Path: r.Path})
	}
	slices.SortFunc(all, func(a, b Door) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return all
}
