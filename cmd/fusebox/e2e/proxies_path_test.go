package e2e

import (
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestBelowAPath follows every link of every page that an admin finds behind each proxy,
// configured as the manual says: all are there, and none leads beside the site.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	for _, kind := range proxyKinds {
		t.Run(kind.program, func(t *testing.T) {
			needsProxy(t, kind.program)
			crawlsBelowAPath(t, kind)
		})
	}
}

func crawlsBelowAPath(t *testing.T, kind proxyKind) {
	t.Helper()
	p := behindProxy(t, proxyBlock(t, "toml", "path.toml"))
	proxy := startProxy(t, kind, proxyBlock(t, kind.lang, "path"), p.url)
	person := newOutsider(t, "https://example.org/fusebox", proxy, "127.0.0.2")
	person.signsIn()
	begun := person.must(http.StatusSeeOther, "POST", "/", url.Values{"content": {"test approval"}}.Encode(), "Content-Type", formType)
	if to := begun.Header.Get("Location"); !strings.HasPrefix(to, "/fusebox/c/") {
		t.Fatalf("a new chat is at %s", to)
	}
	socket := person.socket("/ws/conversations/" + path.Base(begun.Header.Get("Location")))
	nextOf(t, "approval-requested", func() ([]byte, error) { _, raw, err := socket.ReadMessage(); return raw, err })
	seen := person.crawl()
	for _, page := range []string{"/", "/approvals", "/settings/tokens", "/admin/audit", "/admin/guards", "/admin/spend"} {
		if !slices.Contains(seen, "/fusebox"+page) {
			t.Errorf("no link leads to %s", page)
		}
	}
}

// maxCrawl bounds how many addresses are visited.
const maxCrawl = 200

// crawl visits all that links lead to, from the first page on, and returns the paths.
func (o *outsider) crawl() (seen []string) {
	o.t.Helper()
	site, err := url.Parse(o.site + "/")
	if err != nil {
		o.t.Fatal(err)
	}
	queue := []*url.URL{site}
	for len(queue) > 0 && len(seen) < maxCrawl {
		at := queue[0]
		queue = queue[1:]
		if slices.Contains(seen, at.Path) {
			continue // pages differ by their query, their frames do not
		}
		seen = append(seen, at.Path)
		res := o.do("GET", at.String(), "")
		if res.StatusCode >= 400 {
			o.t.Errorf("%s: %d", at, res.StatusCode)
		}
		for _, link := range linksOf(o.t, res) {
			to, err := at.Parse(link)
			switch {
			case err != nil:
				o.t.Errorf("%s has the link %q", at, link)
			case to.Host != site.Host: // the price list's source, for instance
			case !strings.HasPrefix(to.Path, site.Path):
				o.t.Errorf("%s leads beside the site: %s", at, link)
			default:
				queue = append(queue, to)
			}
		}
	}
	return seen
}

// linksOf are the links and files of a page; where its forms go is only looked at.
func linksOf(t *testing.T, res *http.Response) (links []string) {
	t.Helper()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		_, _ = io.Copy(io.Discard, res.Body)
		return []string{res.Header.Get("Location")}
	}
	doc, err := html.Parse(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for node := range doc.Descendants() {
		for _, a := range node.Attr {
			switch a.Key {
			case "href", "src":
				links = append(links, a.Val)
			case "action", "formaction", "data-stream", "data-api", "data-path":
				if !strings.HasPrefix(a.Val, "/fusebox/") {
					t.Errorf("%s: %s=%q leads beside the site", res.Request.URL, a.Key, a.Val)
				}
			}
		}
	}
	return links
}

// plainNginx is what people write who only want to get through.
const plainNginx = "events {}\nhttp {\n  server {\n    listen 443 ssl;\n    ssl_certificate /etc/ssl/fusebox.pem;\n    ssl_certificate_key /etc/ssl/fusebox.key;\n" +
	"    location / {\n      proxy_pass http://127.0.0.1:8080;\n    }\n  }\n}\n"

// TestPlainProxyOpensNothing: what comes through a proxy on the machine that says
// nothing about its clients looks as if it were asked on the machine itself.
func TestPlainProxyOpensNothing(t *testing.T) {
	needsProxy(t, "nginx")
	p := startProgram(t, t.TempDir())
	proxy := startProxy(t, proxyKinds[0], plainNginx, p.url)
	stranger := newOutsider(t, "https://fusebox.example.org", proxy, "127.0.0.2")
	for address, status := range map[string]int{"/metrics": 401, "/debug/pprof/": 401, "/debug/pprof/goroutine?debug=1": 401, "/healthz": 200, "/login": 200} {
		stranger.must(status, "GET", address, "")
	}
}
