package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/tools/web"
)

type readPage struct{ Title, URL, Text string }

// site is a server that the tool may reach, and how often its pages were asked for.
type site struct {
	*httptest.Server
	hits atomic.Int32
}

func newSite(t *testing.T, robots string, pages map[string]func(http.ResponseWriter, *http.Request)) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			if robots == "" {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write([]byte(robots))
			return
		}
		s.hits.Add(1)
		if p := pages[r.URL.Path]; p != nil {
			p(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) origin() string { return s.Listener.Addr().String() }

func sends(contentType, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

func article(title, text string) string {
	return `<html><head><title>` + title + `</title></head><body><nav><a href="/">Home</a><a href="/b">More</a></nav><article><h2>Part</h2>` +
		strings.Repeat(`<p>`+text+` <a href="/next">next</a> of it, with enough words to be taken for what a page is about.</p>`, 5) +
		`<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></article><script>alert(1)</script></body></html>`
}

func TestPagesBecomeReadableMarkdown(t *testing.T) {
	t.Parallel()
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(article("保险丝", "保险丝保护电路，"))
	if err != nil {
		t.Fatal(err)
	}
	sjis, err := japanese.ShiftJIS.NewEncoder().String(strings.Replace(article("ヒューズ", "回路を守る、"), "<head>", `<head><meta charset="shift_jis">`, 1))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, "", map[string]func(http.ResponseWriter, *http.Request){
		"/html": sends("text/html; charset=utf-8", article("Fuses &amp; more", "A fuse protects a circuit")),
		"/gbk":  sends("text/html; charset=gbk", gbk), "/sjis": sends("text/html", sjis),
		"/json": sends("application/json", `{"a":1}`), "/notes.md": sends("text/markdown", "# Notes\n"), "/plain": sends("text/plain; charset=utf-8", "plain"),
		"/list": sends("text/html", `<ul><li><a href="https://a.example/1">One</a></li></ul>`),
	})
	w := newWeb(t, web.Options{Allow: []string{s.origin()}})
	for path, want := range map[string]readPage{
		"/html":     {"Fuses & more", "", "A fuse protects a circuit [next](" + s.URL + "/next)"},
		"/gbk":      {"保险丝", "", "保险丝保护电路"},
		"/sjis":     {"ヒューズ", "", "回路を守る"},
		"/json":     {"json", "", `{"a":1}`},
		"/notes.md": {"notes.md", "", "# Notes"},
		"/plain":    {"plain", "", "plain"},
		"/list":     {"list", "", "[One](https://a.example/1)"},
	} {
		res := call(t, w.Fetch(), map[string]any{"url": s.URL + path + "#part"})
		var p readPage
		if err := json.Unmarshal([]byte(res.Content), &p); err != nil {
			t.Fatalf("%s: %+v", path, res)
		}
		if p.Title != want.Title || p.URL != s.URL+path || !strings.Contains(p.Text, want.Text) || strings.Contains(p.Text, "alert") {
			t.Errorf("%s = %+v", path, p)
		}
	}
}

func TestWhatIsNoPageIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for i := 0; i < 6<<20; i += 1 << 16 {
			_, _ = w.Write([]byte(strings.Repeat("x", 1<<16)))
		}
	}
	s := newSite(t, "User-agent: *\nDisallow: /private\n", map[string]func(http.ResponseWriter, *http.Request){
		"/pdf": sends("application/pdf", "%PDF-1.7"), "/octets": sends("application/octet-stream", "%PDF-1.7"), "/image": sends("image/png", "\x89PNG"),
		"/large": endless, "/empty": sends("text/html", "<html></html>"), "/deep": sends("text/html", strings.Repeat("<div>", 5000)+"x"),
		"/away": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/private/x", http.StatusFound) },
		"/file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		},
	})
	w := newWeb(t, web.Options{Allow: []string{s.origin()}})
	for path, want := range map[string]string{
		"/pdf": "PDF", "/octets": "PDF", "/image": "This is not a page of text, so it is not read", "/large": "larger than 5 MB", "/empty": "no text",
		"/deep": "", "/none": "answered 404", "/private": "robots.txt", "/%70rivate": "robots.txt", "//private/x": "robots.txt", "/a/../private": "robots.txt",
		"/./private/": "robots.txt", "/x/%2e%2e/private?a=b": "robots.txt", "/away": "robots.txt", "/file": "could not be reached",
	} {
		res := call(t, w.Fetch(), map[string]any{"url": s.URL + path})
		if path == "/deep" { // either is fine, as long as it ends
			continue
		}
		if res.ErrorType == "" || !strings.Contains(res.Content, want) || strings.Contains(res.Content, s.URL) {
			t.Errorf("%s: %+v, want %q", path, res, want)
		}
	}
	for _, address := range []string{"file:///etc/passwd", "gopher://x.example", "https://u:p@x.example/", "x.example", "https://"} {
		if res := call(t, w.Fetch(), map[string]any{"url": address}); res.ErrorType != agent.ErrInvalidParams {
			t.Errorf("%s: %+v", address, res)
		}
	}
}

// TestRobots: what a robots.txt says holds as it is read elsewhere, whatever else is in it.
func TestRobots(t *testing.T) {
	t.Parallel()
	const all = "User-agent: *\n"
	for name, tc := range map[string]struct {
		robots, path string
		refused      bool
	}{
		"a line that is no number":     {all + "Crawl-delay: soon\nDisallow: /p", "/p", true},
		"a line before the first name": {"Disallow: /q\n" + all + "Disallow: /p", "/p", true},
		"a rule for nobody":            {"Disallow: /p\n" + all + "Disallow: /q", "/p", false},
		"no rules at all":              {"<html><body>Not here.</body></html>", "/p", false},
		"our name":                     {"User-agent: fusebox\nDisallow: /p\n\n" + all + "Allow: /", "/p", true},
		"our name with a version":      {"User-agent: Fusebox/1.0\nDisallow: /p", "/p", true},
		"a name that begins as ours":   {"User-agent: FuseboxImages\nDisallow: /p", "/p", false},
		"our name alone":               {all + "Disallow: /\n\nUser-agent: Fusebox\nDisallow: /q", "/p", false},
		"our name, and no rule":        {all + "Disallow: /\n\nUser-agent: Fusebox\nDisallow:", "/p", false},
		"two names":                    {"User-agent: Fusebox\nUser-agent: Other\nDisallow: /p", "/p", true},
		"a map between":                {"User-agent: Fusebox\nSitemap: /s.xml\nUser-agent: Other\nDisallow: /p", "/p", true},
		"our group twice":              {all + "Disallow: /q\n\nUser-agent: Other\nDisallow: /\n\n" + all + "Disallow: /p", "/p", true},
		"escaped in the rule":          {all + "Disallow: /%70", "/p", true},
		"escaped in another way":       {all + "Disallow: /a%3cb", "/a%3Cb", true},
		"not ASCII":                    {all + "Disallow: /\u00fc", "/%C3%BC", true},
		"an escape that is needed":     {all + "Disallow: /a%2Fb", "/a/b", false},
		"blanks before the colon":      {all + "Disallow : /p # really", "/p", true},
		"other ends of lines":          {"\uFEFFUser-agent: *\r\rDisallow: /p\r", "/p", true},
		"without its slash":            {all + "Disallow: p", "/p", true},
		"the longest rule":             {all + "Disallow: /p\nAllow: /p/open", "/p/open", false},
		"two as long":                  {all + "Disallow: /p\nAllow: /p", "/p", false},
		"an end":                       {all + "Disallow: /*.pdf$", "/a/x.pdf", true},
		"an end that is not there":     {all + "Disallow: /*.pdf$", "/x.pdf.html", false},
		"an end that comes twice":      {all + "Disallow: /a*b$", "/abcb", true},
		"many pieces":                  {all + "Disallow: /a*/c*d", "/a/b/c/x/d/e", true},
		"pieces in another order":      {all + "Disallow: /a*d*c", "/abcd", false},
		"a question":                   {all + "Disallow: /*?", "/p?a=b", true},
		"a pattern of regular forms":   {all + "Disallow: /a(b[c", "/a(b[cd", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok := sends("text/plain", "here")
			s := newSite(t, tc.robots, nil)
			robots := s.Config.Handler
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					robots.ServeHTTP(w, r)
				} else {
					ok(w, r)
				}
			})
			res := call(t, newWeb(t, web.Options{Allow: []string{s.origin()}}).Fetch(), map[string]any{"url": s.URL + tc.path})
			if refused := strings.Contains(res.Content, "robots.txt"); refused != tc.refused || !refused && !strings.Contains(res.Content, "here") {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestPrivateAddressesAreRefusedUnlessAllowed(t *testing.T) {
	t.Parallel()
	inner := newSite(t, "", map[string]func(http.ResponseWriter, *http.Request){"/secret": sends("text/plain", "secret")})
	outer := newSite(t, "", map[string]func(http.ResponseWriter, *http.Request){
		"/away": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.URL+"/secret", http.StatusFound)
		},
	})
	w := newWeb(t, web.Options{Allow: []string{outer.origin()}})
	u, err := url.Parse(inner.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{inner.URL + "/secret", "http://localhost:" + u.Port() + "/secret", "http://2130706433:" + u.Port() + "/secret", outer.URL + "/away", "http://169.254.169.254/latest"} {
		res := call(t, w.Fetch(), map[string]any{"url": address})
		if res.ErrorType == "" || strings.Contains(res.Content, "secret") {
			t.Errorf("%s: %+v", address, res)
		}
	}
	if n := inner.hits.Load(); n != 0 {
		t.Errorf("the private server was reached %d times", n)
	}
	allowed := newWeb(t, web.Options{Allow: []string{outer.origin(), inner.origin()}})
	if res := call(t, allowed.Fetch(), map[string]any{"url": outer.URL + "/away"}); !strings.Contains(res.Content, `"url":"`+inner.URL+`/secret"`) {
		t.Errorf("an allowed address: %+v", res)
	}
}

func TestPagesAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", map[string]func(http.ResponseWriter, *http.Request){})
	n := 0
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		n++
		_, _ = fmt.Fprintf(w, "visit %d", n)
	})
	c := &clock{}
	w := newWeb(t, web.Options{Allow: []string{s.origin()}, Clock: c})
	for _, want := range []string{"visit 1", "visit 1"} {
		if res := call(t, w.Fetch(), map[string]any{"url": s.URL + "/"}); !strings.Contains(res.Content, want) {
			t.Errorf("%+v, want %s", res, want)
		}
	}
	c.ahead = time.Hour
	if res := call(t, w.Fetch(), map[string]any{"url": s.URL + "/"}); !strings.Contains(res.Content, "visit 2") {
		t.Errorf("after an hour: %+v", res)
	}
}

func TestASilentSiteEndsWithTheCall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(agenttest.Context(t))
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client leaves
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	w := newWeb(t, web.Options{Allow: []string{srv.Listener.Addr().String()}})
	res := w.Fetch().Run(ctx, agent.ToolInput{Args: json.RawMessage(`{"url":"` + srv.URL + `"}`)})
	if res.ErrorType != agent.ErrCancelled {
		t.Errorf("result = %+v", res)
	}
}
