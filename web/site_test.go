package web_test

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/documents"
	"fusebox/agent/guards"
	"fusebox/agent/imports"
	"fusebox/agent/loop"
	"fusebox/agent/policy"
	"fusebox/agent/prices"
	"fusebox/agent/seal"
	"fusebox/agent/service"
	"fusebox/agent/vectors"
	"fusebox/store"
	"fusebox/store/storetest"
	"fusebox/web"
	"fusebox/web/hub"
	"fusebox/web/page"
)

const (
	goodPassword = "a good sentence"
	setupCode    = "CODE-FROM-LOG"
)

// passwordHash has the lowest cost there is: hashing is slow on purpose, and
// slower still under the race detector. A hash names its own cost.
var passwordHash = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash(goodPassword, &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		panic(err)
	}
	return hash
})

// oneTool knows run_shell, whose command must be a string.
type oneTool struct{}

func (oneTool) Outcome(context.Context, string, agent.ToolInput) (agent.ToolResult, bool) {
	return agent.ToolResult{}, false
}

// Specs lists a tool of each set.
func (oneTool) Specs() []agent.ToolSpec {
	specs := []agent.ToolSpec{
		{Name: "calculator", Set: agent.CoreTools}, {Name: "read_file", Set: agent.FileTools},
		{Name: "run_shell", Set: agent.ShellTools}, {Name: "get_weather", Set: agent.WebTools},
	}
	for i := range specs {
		specs[i].Effect, specs[i].Risk, specs[i].Source, specs[i].Parameters = agent.EffectRead, agent.RiskLow, "builtin", []byte("{}")
	}
	specs[2].Effect = agent.EffectExec
	return specs
}

func (oneTool) Lookup(name string) (agent.ToolSpec, bool) {
	effect := agent.EffectExec
	if name == "make" {
		effect = agent.EffectWrite
	}
	return agent.ToolSpec{
		Name: name, Effect: effect,
		Parameters: json.RawMessage(`{"type":"object","required":["command"],"properties":{"command":{"type":"string","maxLength":9},"wait":{"type":"integer"}}}`),
	}, name == "run_shell" || name == "make"
}

func (oneTool) Evidence(string, agent.ToolInput) agent.ToolEvidence { return agent.ToolEvidence{} }
func (oneTool) Execute(context.Context, string, agent.ToolInput) agent.ToolResult {
	return agent.ToolResult{}
}

func (oneTool) RemoveFiles(string) error { return nil }

func (oneTool) Owners(func([]string) error) error { return nil }

// picturesByName are the pictures that runs have; any other name is that of a PNG.
var picturesByName = map[string]string{"a.jpg": "\xff\xd8\xff", "a.gif": "GIF89a", "a.webp": "RIFF\x00\x00\x00\x00WEBPVP"}

func (oneTool) Image(_, _, name string) (io.ReadSeekCloser, agent.WorkspaceFile, error) {
	return struct {
		*strings.Reader
		io.Closer
	}{strings.NewReader(cmp.Or(picturesByName[name], "\x89PNG\r\n\x1a\n")), io.NopCloser(nil)}, agent.WorkspaceFile{Path: name, Bytes: 8}, nil
}

// Output has kept something for the call "long" alone.
func (oneTool) Output(_ context.Context, _, runID, callID string) (io.ReadCloser, error) {
	if callID != "long" {
		return nil, agent.Errorf(agent.NotFound, "No output of this call was kept.")
	}
	return io.NopCloser(strings.NewReader("<b>all of " + runID)), nil
}

// The workspace of every conversation has one file.
func (oneTool) ListFiles(context.Context, string) (agent.WorkspaceListing, error) {
	return agent.WorkspaceListing{Files: []agent.WorkspaceFile{{Path: "x", Bytes: 1}}, UsedBytes: 1, LimitBytes: 1}, nil
}

func (oneTool) OpenFile(_, name string) (io.ReadSeekCloser, agent.WorkspaceFile, error) {
	return struct {
		*strings.Reader
		io.Closer
	}{strings.NewReader("x"), io.NopCloser(nil)}, agent.WorkspaceFile{Path: name, Bytes: 1}, nil
}

func (oneTool) SaveFile(_ context.Context, _, name string, _ io.Reader) (agent.WorkspaceFile, error) {
	return agent.WorkspaceFile{Path: name}, nil
}

func (oneTool) ZipFiles(_ context.Context, _ string, w io.Writer) error {
	_, err := io.WriteString(w, "zip")
	return err
}

func (oneTool) Validate(name, args string) (json.RawMessage, error) {
	if name == agent.UpdatePlanTool {
		plans, err := planSchema()
		if err != nil {
			return nil, err
		}
		return plans.Check(args)
	}
	var in struct{ Command *string }
	if err := json.Unmarshal([]byte(args), &in); err != nil || in.Command == nil {
		return nil, agent.InvalidField("command", "must be a string")
	}
	return json.RawMessage(args), nil
}

// site is a whole server over a real database, without a model behind it.
type site struct {
	t     testing.TB
	db    *store.Store
	hub   *hub.Hub
	clock *agenttest.Clock // starts now: browsers judge cookies by real time
	newID agent.NewID
	url   string
	file  string // of the database
	// shelf and queue have the documents. Nobody reads them, unless a test runs the queue.
	shelf *documents.Shelf
	queue *documents.Queue
	// imports unpack, where a test has them run.
	imports *imports.Queue
	// handler is what answers at url.
	handler http.Handler
	// closing begins what a server does when it stops: it still answers, and ends its streams.
	closing func()
}

func newSite(t testing.TB, with ...func(*web.Options)) *site {
	t.Helper()
	return (&site{t: t, clock: agenttest.ClockAt(time.Now()), newID: agenttest.IDs(), file: storetest.Migrated(t, filepath.Join(t.TempDir(), "fusebox.db"))}).open(with...)
}

// restarted is a new server over the database of one that nobody has closed.
func (s *site) restarted() *site {
	s.t.Helper()
	next := (&site{t: s.t, clock: s.clock, newID: s.newID, file: s.file}).open()
	_, err := next.db.RecoverLeases(s.t.Context())
	s.ok(err)
	return next
}

// open makes a server over the site's database.
func (s *site) open(with ...func(*web.Options)) *site {
	t := s.t
	t.Helper()
	s.hub = hub.New(64)
	log := slog.New(slog.DiscardHandler)
	var err error
	s.db, err = store.Open(t.Context(), store.Options{
		Channels: store.Channels{Webhook: true, Email: true},
		Path:     s.file, Clock: s.clock, NewID: s.newID, Logger: log, OnCommit: s.hub.Publish, OwnerMayConfirm: true,
	})
	s.ok(err)
	c := agenttest.NewCommands(s.db, &loop.Runner{Loop: &loop.Loop{}, Clock: s.clock, Log: log}, oneTool{}, s.clock, s.newID)
	c.OwnerMayConfirm, c.Guards, c.Policy, c.Timeout = true, agent.DefaultGuardSettings(), policy.New(), 24*time.Hour
	s.shelf, err = documents.OpenShelf(t.TempDir())
	s.ok(err)
	s.queue = &documents.Queue{Store: s.db, Shelf: s.shelf, Reader: plainReader{}, Parallel: 1, Clock: s.clock, Log: log}
	s.imports = &imports.Queue{
		Store: s.db, Shelf: s.shelf, Clock: s.clock, Log: log,
		Library: &service.Documents{Store: s.db, Shelf: s.shelf, Queue: s.queue, Clock: s.clock, NewID: s.newID, Log: log},
	}
	finder, err := vectors.New(t.Context(), vectors.Options{Store: s.db, Clock: s.clock, Log: log})
	s.ok(err)
	options := web.Options{
		Options: service.Options{
			Store: s.db, Approvals: c.Approvals, Messages: c.Messages, Runs: c.Runs, Tools: oneTool{}, Clock: s.clock, NewID: s.newID, DefaultModel: "demo", Guards: agent.DefaultGuardSettings(),
			Files: oneTool{}, Shelf: s.shelf, Queue: s.queue, Imports: s.imports, Finder: finder,
			Models: fixedModels{}, Outlet: &heldOutlet{demo: "demo"}, Sealer: seal.New(filepath.Join(t.TempDir(), "secret.key")), Prices: s.prices(), Logger: log,
			Detectors: guards.Detectors, Backtest: s.backtest, Learn: s.learn,
		},
		Sessions: s.db.Sessions(), Hub: s.hub, ToolServers: heldServer{}, OpenAPI: heldService{}, LeftOutTools: refusedTool, SetupCode: setupCode, Usual: policy.Usual,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fusebox_x 1\n") }),
		Notify:  page.NotifyInfo{PublicURL: "https://box.example.org", WebhookHost: "hooks.example.org", Signed: true, SMTPHost: "mail.example.org:587", From: "box@example.org"},
	}
	for _, change := range with {
		change(&options)
	}
	s.imports.Web = options.Downloads
	server := web.New(options)
	s.handler, s.closing = server.Handler(), server.Close
	listener := httptest.NewServer(s.handler)
	s.url = listener.URL
	t.Cleanup(func() {
		server.Close()
		listener.Close()
		s.hub.Close()
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// prices is a book in which the demo model has a price and the local one has none.
func (s *site) prices() *prices.Book {
	return prices.New(prices.Options{
		Endpoints: func() []string { return []string{"local"} }, Read: s.db.Prices,
		Config: []agent.PriceRow{{Model: "demo", Known: true, Price: agent.Price{Input: 1_000_000, Cached: 500_000, Output: 2_000_000}, Source: "configuration"}},
	})
}

func (s *site) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// user makes an account; the first one of a site should be an admin.
func (s *site) user(email string, role agent.Role) agent.User {
	s.t.Helper()
	u := agent.User{ID: s.newID(), Email: email, Role: role, CreatedAt: s.clock.Now()}
	s.ok(s.db.CreateUser(s.t.Context(), u, passwordHash()))
	return u
}

// browser is one visitor with their cookies.
type browser struct {
	s      *site
	client *http.Client
	csrf   string
}

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	s.ok(err)
	return &browser{s: s, client: &http.Client{
		Transport: checked,
		Jar:       jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// as is a browser that is signed in.
func (s *site) as(u agent.User) *browser {
	s.t.Helper()
	b := s.browser()
	b.get("/login")
	got := b.post("/login", url.Values{"email": {u.Email}, "password": {goodPassword}})
	if got.status != http.StatusSeeOther {
		s.t.Fatalf("login of %s: %d\n%s", u.Email, got.status, got.body)
	}
	b.get("/settings/account")
	return b
}

// answer is what came back.
type answer struct {
	status int
	body   string
	header http.Header
}

var csrfMeta = regexp.MustCompile(`<meta name="csrf-token" content="([^"]*)"`)

func (b *browser) get(path string) answer {
	b.s.t.Helper()
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodGet, b.s.url+path, nil)
	b.s.ok(err)
	a := b.do(req)
	if m := csrfMeta.FindStringSubmatch(a.body); m != nil {
		b.csrf = m[1]
	}
	return a
}

// post sends a form as the page that was seen last would.
func (b *browser) post(path string, form url.Values) answer {
	b.s.t.Helper()
	sent := url.Values{"csrf_token": {b.csrf}}
	for k, v := range form {
		sent[k] = v
	}
	req, err := http.NewRequestWithContext(b.s.t.Context(), http.MethodPost, b.s.url+path, strings.NewReader(sent.Encode()))
	b.s.ok(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(req)
}

func (b *browser) do(req *http.Request) answer {
	b.s.t.Helper()
	res, err := b.client.Do(req)
	b.s.ok(err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	b.s.ok(err)
	return answer{res.StatusCode, string(body), res.Header}
}

// want says what an answer must be: has and hasNot are texts of its body.
type want struct {
	status      int
	location    string
	has, hasNot []string
}

func (a answer) check(t *testing.T, w want) {
	t.Helper()
	if a.status != w.status {
		t.Errorf("status %d, want %d\n%s", a.status, w.status, a.body)
	}
	if got := a.header.Get("Location"); got != w.location {
		t.Errorf("leads to %q, want %q", got, w.location)
	}
	for _, text := range w.has {
		if !strings.Contains(a.body, text) {
			t.Errorf("lacks %q\n%s", text, a.body)
		}
	}
	for _, text := range w.hasNot {
		if strings.Contains(a.body, text) {
			t.Errorf("must not have %q\n%s", text, a.body)
		}
	}
}
