package web_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/tools/web"
)

// clock is the machine's, moved on by hand.
type clock struct {
	agent.Clock
	ahead time.Duration
}

func (c *clock) Now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(c.ahead) }

func newWeb(t *testing.T, o web.Options) *web.Web {
	t.Helper()
	if o.Clock == nil {
		o.Clock = agenttest.NewClock()
	}
	o.Logger = slog.New(slog.DiscardHandler)
	w, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func call(t *testing.T, tool interface {
	Run(context.Context, agent.ToolInput) agent.ToolResult
}, args map[string]any,
) agent.ToolResult {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Run(t.Context(), agent.ToolInput{Args: raw})
}

// answering is a server that keeps the last request and sends one answer to all.
func answering(t *testing.T, status int, header http.Header, body string) (srv *httptest.Server, last *http.Request, sent *string) {
	t.Helper()
	last, sent = &http.Request{}, new(string)
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*last, *sent = *r.Clone(context.Background()), string(b)
		for k, v := range header {
			w.Header()[k] = v
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv, last, sent
}

const want = `{"results":[{"title":"Fuses & more","url":"https://a.example/?x=1&y=2","snippet":"All about fuses"}]}`

func TestEachServiceIsAskedInItsOwnWay(t *testing.T) {
	t.Parallel()
	listed := `"url":"https://a.example/?x=1&y=2"`
	for _, s := range []struct {
		provider, path, body, method, asked, sent, header, value string
	}{
		{"json", "/find?lang=en", `{"results":[{"title":"Fuses & more",` + listed + `,"snippet":"All about fuses"}]}`, "GET", "/find?lang=en&q=fuse+box", "", "Authorization", "Bearer k1"},
		{"searxng", "", `{"query":"fuse box","results":[{"title":"Fuses & more",` + listed + `,"content":"All about fuses","engine":"x"}]}`, "GET", "/search?format=json&q=fuse+box", "", "Authorization", "Bearer k1"},
		{"brave", "/res/v1/web/search", `{"type":"search","web":{"results":[{"title":"Fuses &amp; more",` + listed + `,"description":"All about <strong>fuses</strong>"}]}}`, "GET", "/res/v1/web/search?count=2&q=fuse+box", "", "X-Subscription-Token", "k1"},
		{"tavily", "/search", `{"answer":null,"results":[{"title":"Fuses & more",` + listed + `,"content":"All about fuses","score":0.9}]}`, "POST", "/search", `{"max_results":2,"query":"fuse box"}`, "Authorization", "Bearer k1"},
	} {
		t.Run(s.provider, func(t *testing.T) {
			t.Parallel()
			srv, last, sent := answering(t, 200, nil, s.body)
			w := newWeb(t, web.Options{Provider: s.provider, URL: srv.URL + s.path, Key: "k1"})
			res := call(t, w.Search(), map[string]any{"query": "fuse box", "count": 2})
			if res.ErrorType != "" || res.Content != want {
				t.Errorf("result = %q (%s), want %q", res.Content, res.ErrorType, want)
			}
			if last.Method != s.method || last.URL.String() != s.asked || *sent != s.sent {
				t.Errorf("asked %s %s with %q", last.Method, last.URL, *sent)
			}
			if got := last.Header.Get(s.header); got != s.value {
				t.Errorf("%s = %q, want %q", s.header, got, s.value)
			}
		})
	}
}

func TestAServiceThatFailsIsNamedToModelAndAdmin(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		provider, body, model, admin string
		status                       int
		header                       http.Header
	}{
		{"brave", `{}`, "refuses the key", "the key of BRAVE_KEY is refused", 401, nil},
		{"searxng", `forbidden`, "allow its JSON format", "list json among its search formats", 403, nil},
		{"tavily", `{}`, "asked again in 30s", "too many searches", 429, http.Header{"Retry-After": {"30"}}},
		{"json", `oops`, "answered 500", "json answered 500", 500, nil},
		{"json", ``, "answered 302", "json answered 302", 302, http.Header{"Location": {"http://127.0.0.1:1/"}}},
		{"json", `<html>hello</html>`, "a list of results", "web.search_url", 200, nil},
		{"json", `{"items":[]}`, "a list of results", "web.search_url", 200, nil},
		{"json", `{"results":[` + strings.Repeat(" ", 3<<20) + `]}`, "a list of results", "web.search_url", 200, nil},
	} {
		srv, _, _ := answering(t, s.status, s.header, s.body)
		w := newWeb(t, web.Options{Provider: s.provider, URL: srv.URL, Key: "k1", KeyEnv: "BRAVE_KEY"})
		res := call(t, w.Search(), map[string]any{"query": "x"})
		if res.ErrorType != agent.ErrNetwork || !strings.Contains(res.Content, s.model) || strings.Contains(res.Content, srv.URL) {
			t.Errorf("%s %d: the model reads %q (%s)", s.provider, s.status, res.Content, res.ErrorType)
		}
		err := w.Search().Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), s.admin) || strings.Contains(err.Error(), "k1") {
			t.Errorf("%s %d: the admin reads %v", s.provider, s.status, err)
		}
	}
}

func TestASilentServiceEndsWithTheCall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(agenttest.Context(t))
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client leaves
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	w := newWeb(t, web.Options{Provider: "json", URL: srv.URL})
	res := w.Search().Run(ctx, agent.ToolInput{Args: json.RawMessage(`{"query":"x"}`)})
	if res.ErrorType != agent.ErrCancelled {
		t.Errorf("result = %+v", res)
	}
}

func TestResultsThatLeadNowhereAreLeftOut(t *testing.T) {
	t.Parallel()
	srv, _, _ := answering(t, 200, nil, `{"results":[{"title":"a","url":"javascript:alert(1)"},{"title":"b","url":"/x"},{"title":"c","url":"https://u:p@c.example/"},{"title":"d","url":"https://d.example/"},{"title":"e","url":"https://e.example/"}]}`)
	w := newWeb(t, web.Options{Provider: "json", URL: srv.URL})
	res := call(t, w.Search(), map[string]any{"query": "x", "count": 1})
	if res.Content != `{"results":[{"title":"d","url":"https://d.example/","snippet":""}]}` {
		t.Errorf("result = %s", res.Content)
	}
}

func TestOptionsThatCannotBeNameTheirKey(t *testing.T) {
	t.Parallel()
	for key, o := range map[string]web.Options{
		"web.search_url":      {Provider: "searxng"},
		"web.search_key_env":  {Provider: "brave"},
		"web.search_provider": {Provider: "other"},
	} {
		if err := web.Check(o); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%+v: %v, want one that names %s", o, err, key)
		}
	}
}

func TestTheSamplePagesAreFoundAndRead(t *testing.T) {
	t.Parallel()
	w := newWeb(t, web.Options{Provider: web.Demo})
	for query, first := range map[string]string{"night trains": "https://trains.example/night-trains", "绿茶怎么泡": "https://kitchen.example/zh/green-tea"} {
		res := call(t, w.Search(), map[string]any{"query": query, "count": 3})
		var found struct{ Results []web.Result }
		if err := json.Unmarshal([]byte(res.Content), &found); err != nil || len(found.Results) == 0 || found.Results[0].URL != first {
			t.Fatalf("%s: %s (%v)", query, res.Content, err)
		}
		for _, r := range found.Results {
			var p struct{ Title, URL, Text string }
			res := call(t, w.Fetch(), map[string]any{"url": r.URL})
			if err := json.Unmarshal([]byte(res.Content), &p); err != nil || p.Title != r.Title || p.URL != r.URL {
				t.Errorf("%s: %s", r.URL, res.Content)
			}
			if !strings.Contains(p.Text, "Sample data") && !strings.Contains(p.Text, "示例数据") || !strings.Contains(p.Text, "Published ") {
				t.Errorf("%s: %s", r.URL, p.Text)
			}
		}
	}
	if res := call(t, w.Fetch(), map[string]any{"url": "https://trains.example/none"}); !strings.Contains(res.Content, "404") {
		t.Errorf("a missing page: %+v", res)
	}
}
