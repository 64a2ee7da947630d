package address

import (
	"net/http"
	"net/url"
	"strings"
)

// Site is the public address of the server. The zero Site is one that nobody has
// named: at the root of whatever host it is asked under.
type Site struct {
	scheme, host string
	path         string // "" or like /fusebox
}

// ParseSite reads server.url.
func ParseSite(publicURL string) Site {
	u, err := url.Parse(publicURL)
	if err != nil {
		return Site{}
	}
	return Site{scheme: u.Scheme, host: u.Host, path: strings.TrimRight(u.Path, "/")}
}

// AtRoot reports whether the site has its host to itself, and links are as they stand.
func (s Site) AtRoot() bool { return s.path == "" }

// HTTPS reports whether people reach the site by https.
func (s Site) HTTPS() bool { return s.scheme == "https" }

// CookiePath bounds cookies to the site.
func (s Site) CookiePath() string {
	return s.path + "/"
}

// IsRoot reports whether a request is for the site's path without the slash, to which
// no cookie of the site goes.
func (s Site) IsRoot(r *http.Request) bool { return s.path != "" && r.URL.Path == s.path }

// Link is a path of the site as browsers ask for it. What is no path from the root,
// such as a link within a page or to another host, stays as it is.
func (s Site) Link(local string) string {
	if s.path == "" || !strings.HasPrefix(local, "/") || strings.HasPrefix(local, "//") {
		return local
	}
	return s.path + local
}

// Strip takes the site's path off a request, where the proxy has left it on.
func (s Site) Strip(r *http.Request) {
	if s.path == "" {
		return
	}
	if r.URL.RawPath != "" {
		r.URL.RawPath = s.local(r.URL.RawPath)
	}
	r.URL.Path = s.local(r.URL.Path)
}

func (s Site) local(path string) string {
	if rest, found := strings.CutPrefix(path, s.path); found && strings.HasPrefix(rest, "/") {
		return rest
	}
	return path
}

// OwnOrigin reports whether a browser's Origin is the site's: that of server.url, or,
// for who comes by another name, that of the host they asked.
func (s Site) OwnOrigin(origin, askedHost string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if strings.EqualFold(u.Host, s.host) {
		return u.Scheme == s.scheme
	}
	return strings.EqualFold(u.Host, askedHost)
}
