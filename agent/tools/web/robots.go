package web

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/lru"
)

// The bounds of robots.txt files: how much of one is read, how long it holds, and how
// many are kept.
const (
	maxRobots  = 500 << 10
	robotsAge  = time.Hour
	robotsKept = 500
)

// robots knows what sites allow programs to read.
type robots struct {
	client *http.Client
	clock  agent.Clock
	sites  *lru.Cache[site]
}

// site is what one of them allows.
type site struct {
	rules robotsRules
	until time.Time
}

// allow refuses a page that its site does not want to be read by programs.
func (r *robots) allow(ctx context.Context, u *url.URL) error {
	if u.Path == "/robots.txt" {
		return nil
	}
	origin := u.Scheme + "://" + u.Host
	s := r.sites.Get(origin)
	if !r.clock.Now().Before(s.until) {
		rules, err := r.load(ctx, origin)
		if err != nil {
			return err
		}
		s = site{rules, r.clock.Now().Add(robotsAge)}
		r.sites.Put(origin, s, 1)
	}
	for _, path := range pathsOf(u) {
		if !s.rules.allows(path) {
			return refusal("The site does not allow programs to read this page (robots.txt). Another try does not help.")
		}
	}
	return nil
}

// pathsOf are an address's path as it is written, and as servers read it: without dot
// segments, repeated slashes, and escapes that need not be. Rules hold for both.
func pathsOf(u *url.URL) []string {
	read := *u
	read.Path, read.RawPath = path.Clean("/"+u.Path), ""
	if strings.HasSuffix(u.Path, "/") && read.Path != "/" {
		read.Path += "/"
	}
	paths := []string{cmp.Or(u.EscapedPath(), "/"), read.EscapedPath()}
	if u.RawQuery != "" {
		for i := range paths {
			paths[i] += "?" + u.RawQuery
		}
	}
	return slices.Compact(paths)
}

// load asks a site. One without a robots.txt allows everything; one that fails, nothing.
func (r *robots) load(ctx context.Context, origin string) (rules robotsRules, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/robots.txt", nil)
	if err != nil {
		return rules, err
	}
	req.Header.Set("User-Agent", userAgent)
	res, err := r.client.Do(req)
	if err != nil {
		return rules, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRobots))
	switch {
	case err != nil:
		return rules, err
	case res.StatusCode < 300:
		return parseRobots(body, userAgent), nil
	case res.StatusCode >= 500:
		rules.closed = true
	}
	return rules, nil
}
