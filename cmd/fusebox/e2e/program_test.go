package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/agent/tools/mcp/mcptest"
	"fusebox/web/apitest"
)

// checked carries the requests of all tests, and compares what passes with the
// description of the API.
var checked = &apitest.Checker{}

// TestMain builds the program once; every test starts it as people do.
func TestMain(m *testing.M) {
	mcptest.Main()
	agenttest.Prepare()
	os.Exit(run(m))
}

func run(m *testing.M) (status int) {
	remove, err := build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	defer chromium.stop()
	return checked.Part(m, "cmd/fusebox/e2e")
}

// program is a running server, started the way a person starts it.
type program struct {
	t    testing.TB
	cmd  *exec.Cmd
	log  *logBuffer
	url  string
	data string
	// expected are the errors in the log that its test provokes.
	expected []*regexp.Regexp
}

// logBuffer collects what a process logs while it runs.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

const (
	adminEmail    = "admin@example.org"
	adminPassword = "correct horse battery"
)

func command(t testing.TB, ctx context.Context, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(environment(t.TempDir(), os.Getenv("PATH")), env...)
	return cmd
}

// environment is what the program has of the environment of the tests. Without the
// option, the race detector adds a second to the end of every process. Chats are not named by
// models, so that those of tests get what they expect.
func environment(home, path string) []string {
	return []string{"HOME=" + home, "PATH=" + path, "GOGC=" + os.Getenv("GOGC"), "GORACE=atexit_sleep_ms=0", "FUSEBOX_TITLES_MODEL=off"}
}

// startProgram starts a server on a data folder. Where it has no database yet, it
// gets one with the admin's account.
func startProgram(t testing.TB, data string, env ...string) *program {
	t.Helper()
	onlyAdmin.put(t, data)
	return startEmpty(t, data, env...)
}

// startEmpty starts a server on a free port and waits until it listens. It finds
// the data folder as it is: an empty one for a first start.
func startEmpty(t testing.TB, data string, env ...string) *program {
	t.Helper()
	p := launch(t, data, env...)
	p.url = p.logged(`listening.* url=(\S+)`)
	return p
}

// launch starts a server and does not wait for it.
func launch(t testing.TB, data string, env ...string) *program {
	t.Helper()
	p := start(t, command(t, context.WithoutCancel(t.Context()), append([]string{
		"FUSEBOX_DATA=" + data, "FUSEBOX_ADDR=127.0.0.1:0",
	}, env...)))
	p.data = data
	return p
}

// start starts a process that logs, and ends it with the test, which fails if the log
// has errors that it did not expect.
func start(t testing.TB, cmd *exec.Cmd) *program {
	t.Helper()
	p := &program{t: t, log: &logBuffer{}, cmd: cmd}
	cmd.Stderr = p.log
	must(t, cmd.Start())
	t.Cleanup(p.end)
	return p
}

// expectError allows lines of level ERROR that match a pattern.
func (p *program) expectError(pattern string) {
	p.expected = append(p.expected, regexp.MustCompile(pattern))
}

func (p *program) end() {
	p.kill()
	for line := range strings.Lines(p.log.String()) {
		matches := func(e *regexp.Regexp) bool { return e.MatchString(line) }
		if strings.Contains(line, "level=ERROR") && !slices.ContainsFunc(p.expected, matches) {
			p.t.Errorf("an error is logged: %s", line)
		}
	}
}

// addresses counts those that ownAddress has given.
var addresses atomic.Int32

// ownAddress is one at which nobody else listens, and that is never taken for a moment
// by somebody else: so a server that was killed can be started at it again, and others
// be told of a proxy before it listens.
func ownAddress() string {
	pid := os.Getpid()
	return fmt.Sprintf("127.%d.%d.%d:8443", 1+pid/256%254, pid%256, addresses.Add(1))
}

// atOnce lets the demo model answer without a pause: nobody watches it type.
const atOnce = "FUSEBOX_DEMO_DELAY=0s"

func withAdmin() []string {
	return []string{"FUSEBOX_ADMIN_EMAIL=" + adminEmail, "FUSEBOX_ADMIN_PASSWORD=" + adminPassword}
}

// logged waits for a line of the log and returns what its group matched.
func (p *program) logged(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	var found string
	agenttest.Eventually(p.t, "a log line "+pattern, func() bool {
		m := re.FindStringSubmatch(p.log.String())
		if m != nil {
			found = m[1]
		}
		return m != nil
	})
	return found
}

// kill is kill -9: nothing is closed, nothing is said.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// api is a client with an API token.
type api struct {
	t          testing.TB
	url, token string
}

func (p *program) admin() api {
	p.t.Helper()
	return api{p.t, p.url, p.token(adminEmail)}
}

// token is an API token of an account: the one that its database came with, if any.
func (p *program) token(email string) string {
	p.t.Helper()
	if tokens, ok := ready.Load(p.data); ok {
		if token := tokens.(map[string]string)[email]; token != "" {
			return token
		}
	}
	return newToken(p.t, p.data, email)
}

func newToken(t testing.TB, data, email string) string {
	t.Helper()
	return strings.TrimSpace(administer(t, data, "token", "new", "--user", email))
}

// call makes a request and returns its status and body.
func (a api) call(method, path, body string) (int, []byte) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := checked.Client().Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return res.StatusCode, raw
}

// must is call for what has to succeed; it decodes the answer.
func (a api) must(method, path, body string) map[string]any {
	a.t.Helper()
	status, raw := a.call(method, path, body)
	if status >= 300 {
		a.t.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	var v map[string]any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			a.t.Fatal(err)
		}
	}
	return v
}

// ask posts a message to a new conversation.
func (a api) ask(content string) (conversation, run string) {
	a.t.Helper()
	conversation = a.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	return conversation, a.post(conversation, content)
}

func (a api) post(conversation, content string) (run string) {
	a.t.Helper()
	body, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.must("POST", "/api/v1/conversations/"+conversation+"/messages", string(body))["runId"].(string)
}

// rests waits until a run waits or has ended.
func (a api) rests(run string) map[string]any {
	a.t.Helper()
	var v map[string]any
	agenttest.Eventually(a.t, "the rest of run "+run, func() bool {
		v = a.must("GET", "/api/v1/runs/"+run, "")
		return v["status"] != "queued" && v["status"] != "running"
	})
	return v
}

// events reads the log up to its end.
func (a api) events(conversation string, after int) []map[string]any {
	a.t.Helper()
	status, raw := a.call("GET", fmt.Sprintf("/api/v1/conversations/%s/events?follow=false&after=%d", conversation, after), "")
	if status != http.StatusOK {
		a.t.Fatalf("events: %d %s", status, raw)
	}
	var events []map[string]any
	for line := range bytes.Lines(raw) {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			a.t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func ofType(events []map[string]any, kind string) []map[string]any {
	var found []map[string]any
	for _, e := range events {
		if e["type"] == kind {
			found = append(found, e)
		}
	}
	return found
}

// decide decides the one pending approval of a run.
func (a api) decide(run, body string) {
	a.t.Helper()
	pending := a.must("GET", "/api/v1/runs/"+run, "")["pendingApprovalIds"].([]any)
	if len(pending) != 1 {
		a.t.Fatalf("%d approvals are pending", len(pending))
	}
	card := a.must("GET", "/api/v1/approvals/"+pending[0].(string), "")
	a.must("POST", "/api/v1/approvals/"+pending[0].(string)+"/decision", naming(card, body))
}

// TestApprovalSurvivesKill: nothing runs before a person approves; after
// kill -9 while it waits, approving runs it once.
func TestApprovalSurvivesKill(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data, withAdmin()...)
	a := p.admin()
	conversation, run := a.ask("test approval")
	if got := a.rests(run)["status"]; got != "paused" {
		t.Fatalf("run is %v", got)
	}
	trace := filepath.Join(data, "workspaces", conversation, "cleanup.log")
	if _, err := os.Stat(trace); err == nil {
		t.Fatal("the command ran before it was approved")
	}
	p.kill()
	p = startProgram(t, data)
	a.url = p.url
	a.decide(run, `{"decision":"approve"}`)
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	text, err := os.ReadFile(trace)
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("the command left %q, %v", text, err)
	}
}

// TestRetryShowsItsWaits: three waits, then the answer, and its text is there once.
func TestRetryShowsItsWaits(t *testing.T) {
	t.Parallel()
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_RETRY_BASE=20ms", "TZ=Asia/Shanghai")...)
	a := p.admin()
	conversation, run := a.ask("test retry")
	if got := a.rests(run); got["status"] != "finished" {
		t.Fatalf("run is %v", got)
	}
	if _, raw := a.call("GET", "/api/v1/conversations/"+conversation+"/events?follow=false", ""); bytes.Contains(raw, []byte("+08:00")) {
		t.Error("times are told in the server's own zone")
	}
	events := a.events(conversation, 0)
	if n := len(ofType(events, "retry")); n != 3 {
		t.Errorf("%d waits", n)
	}
	text := ""
	for _, e := range ofType(events, "text-delta") {
		text += e["delta"].(string)
	}
	messages := ofType(events, "message")
	if final := messages[len(messages)-1]["message"].(map[string]any)["content"]; text != final || text == "" {
		t.Errorf("streamed %q, final %q", text, final)
	}
}

// TestKillDuringAStream: the answer is made again and stands once.
func TestKillDuringAStream(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data, withAdmin()...)
	a := p.admin()
	conversation, run := a.ask("test markdown")
	agenttest.Eventually(t, "streamed text", func() bool { return len(ofType(a.events(conversation, 0), "text-delta")) > 3 })
	p.kill()
	a.url = startProgram(t, data).url
	if got := a.rests(run); got["status"] != "finished" || got["steps"] != 1.0 {
		t.Fatalf("run is %v", got)
	}
	events := a.events(conversation, 0)
	if len(ofType(events, "message-reset")) != 1 || len(ofType(events, "message")) != 2 {
		t.Errorf("%d resets, %d messages", len(ofType(events, "message-reset")), len(ofType(events, "message")))
	}
	for i, e := range events {
		if int(e["seq"].(float64)) != i+1 {
			t.Fatalf("event %d has seq %v", i, e["seq"])
		}
	}
}

// refusesDatabase: a server with a data folder of its own cannot have a database that
// another one has, whichever name it uses for it.
func refusesDatabase(t *testing.T, database string) {
	t.Helper()
	link := filepath.Join(t.TempDir(), "linked.db")
	must(t, os.Symlink(database, link))
	for _, name := range []string{database, link} {
		other := command(t, t.Context(), []string{
			"FUSEBOX_DATA=" + t.TempDir(), "FUSEBOX_DATABASE_URL=sqlite://" + name, "FUSEBOX_ADDR=127.0.0.1:0",
		})
		out, err := other.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "database "+name+" is in use by another server") {
			t.Errorf("a second server on %s: %v %s", name, err, out)
		}
	}
	hard := filepath.Join(filepath.Dir(database), "other.db")
	must(t, os.Link(database, hard))
	other := command(t, t.Context(), []string{
		"FUSEBOX_DATA=" + t.TempDir(), "FUSEBOX_DATABASE_URL=sqlite://" + hard, "FUSEBOX_ADDR=127.0.0.1:0",
	})
	if out, err := other.CombinedOutput(); err == nil || !strings.Contains(string(out), "in use by another server") {
		t.Errorf("a second server on a hard link: %v %s", err, out)
	}
	must(t, os.Remove(hard))
}

// TestStopAndSecondServer: a signal ends the process with status 0, a data folder in use is
// refused, and a second start finds everything.
func TestStopAndSecondServer(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startProgram(t, data, withAdmin()...)
	a := p.admin()
	conversation, run := a.ask("hello")
	a.rests(run)
	before := a.events(conversation, 0)
	second := command(t, t.Context(), []string{"FUSEBOX_DATA=" + data, "FUSEBOX_ADDR=127.0.0.1:0"})
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "in use by another server") {
		t.Errorf("a second server on the same folder: %v %s", err, out)
	}
	refusesDatabase(t, filepath.Join(data, "fusebox.db"))
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v: %s", err, p.log)
	}
	a.url = startProgram(t, data).url
	after := a.events(conversation, 0)
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("the log has changed over a restart")
	}
}

func TestUserAddAndBackup(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := startEmpty(t, data, withAdmin()...)
	add := command(t, t.Context(), []string{"FUSEBOX_DATA=" + data}, "user", "add", "--email", "rev@example.org", "--role", "reviewer", "--group", " Research", "--password-stdin")
	add.Stdin = strings.NewReader("a good long password\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if _, body := (api{t, p.url, p.token(adminEmail)}).call("GET", "/api/v1/users", ""); !strings.Contains(string(body), `"group":"Research"`) {
		t.Errorf("the group is missing: %s", body)
	}
	a := api{t, p.url, p.token("rev@example.org")}
	if status, _ := a.call("GET", "/api/v1/users", ""); status != http.StatusForbidden {
		t.Errorf("a reviewer lists users: %d", status)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if out, err := command(t, t.Context(), []string{"FUSEBOX_DATA=" + data}, "backup", copied).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, args := range [][]string{{"user", "add", "--email", "x@y.z", "--role", "king"}, {"user", "add", "--email", "x@y.z", "--role", "user", "--group", "a\tb"}, {"nonsense"}, {"backup"}, {"token", "new"}} {
		err := command(t, t.Context(), []string{"FUSEBOX_DATA=" + data}, args...).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
			t.Errorf("%v: %v, want exit status 2", args, err)
		}
	}
}
