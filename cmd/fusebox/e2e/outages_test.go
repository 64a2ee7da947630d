package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent/agenttest"
)

// Sizes of the test: how many clients there are at most, how long a process lives at most once
// it listens, how long one lives that is killed while it starts or shuts down, and of
// how many kills one is of each of these kinds.
const (
	outageClients = 8
	longestLife   = 400 * time.Millisecond
	longestStart  = 60 * time.Millisecond
	oddKills      = 6
)

// outages is a server that is killed again and again while clients use it.
type outages struct {
	t       *testing.T
	ctx     context.Context // of the clients
	cancel  context.CancelFunc
	data    string
	url     string
	env     []string
	seed    uint64
	random  *rand.Rand
	client  http.Client
	work    work
	tokens  map[string]string
	server  *program
	kills   int
	backups []*backup
	down    sync.RWMutex  // held for writing while no server listens
	over    chan struct{} // closed after the last kill

	mu    sync.Mutex
	talks []*talk
}

// TestKilledAtAnyMoment kills the server at random moments while clients send
// messages, read logs, approve, deny, undo and abort, and starts it again at the same
// address. What a client has seen or was promised is in the log afterwards, no effect
// happened twice or against a decision, and nothing is left of what commands have started. FUSEBOX_KILL_ROUNDS is how often it is killed, FUSEBOX_KILL_SEED
// repeats the moments of an earlier run.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills := agenttest.Rounds(t, "FUSEBOX_KILL_ROUNDS", 3)
	o := startOutages(t, work{calls: fileAndCommand, life: longestLife, people: everybody, courses: allCourses})
	o.run(kills)
}

// everybody is who has an account.
var everybody = []string{"admin", "ana", "rex", "ria"}

// run kills the server so often while clients use it, waits until they have come to
// their end, and looks at everything.
func (o *outages) run(kills int) {
	o.t.Helper()
	var clients sync.WaitGroup
	for i := range min(outageClients, kills+1) {
		clients.Go(func() { o.use(o.work.people[i%len(o.work.people)], i) })
	}
	for o.kills < kills {
		if o.work.backupEvery > 0 && o.kills >= len(o.backups)*o.work.backupEvery {
			b := &backup{file: filepath.Join(o.t.TempDir(), "backup.db"), fresh: o.t.TempDir()}
			o.backups = append(o.backups, b)
			clients.Go(func() { o.backUp(b) })
		}
		o.outage()
	}
	close(o.over)
	o.await(&clients)
	o.check()
}

// work is what a server is killed at: the calls that the model makes for a job, how long
// a process lives at most once it listens, who has conversations, the courses that the jobs of a talk take, one
// after the other, what else people do, and the outputs that each message asks for.
type work struct {
	calls   talkative
	life    time.Duration
	people  []string
	courses []course
	// uploads has each job begin with one, and each talk edit a message.
	uploads bool
	// backupEvery is after how many kills another backup is made; 0 for none.
	backupEvery int
	outputs     []string
	// outside offers the model the tools of an MCP server and of a command.
	outside bool
}

func startOutages(t *testing.T, w work) *outages {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("FUSEBOX_KILL_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	t.Logf("FUSEBOX_KILL_SEED=%d", seed)
	model := httptest.NewServer(w.calls)
	ctx, cancel := context.WithCancel(t.Context())
	transport := &http.Transport{}
	t.Cleanup(func() {
		cancel()
		transport.CloseIdleConnections()
		model.CloseClientConnections()
		model.Close()
	})
	o := &outages{
		t: t, ctx: ctx, cancel: cancel, data: t.TempDir(), tokens: map[string]string{}, over: make(chan struct{}),
		work: w, env: []string{"OPENAI_BASE_URL=" + model.URL + "/v1", "FUSEBOX_MODEL=scripted", "FUSEBOX_RETRY_BASE=20ms", "FUSEBOX_APPROVAL_UNDO_WINDOW=200ms", "FUSEBOX_ADDR=" + ownAddress()},
		seed: seed, random: rand.New(rand.NewPCG(seed, seed)), client: http.Client{Transport: transport},
	}
	if w.outside {
		o.env = append(o.env, sources(t), "FUSEBOX_TOOL_IN_VIEW=1000")
	}
	fullInstance.put(t, o.data)
	for _, name := range everybody {
		o.tokens[name] = (&program{t: t, data: o.data}).token(name + "@example.org")
	}
	o.server = startProgram(t, o.data, o.env...)
	o.url = o.server.url
	if w.outside {
		o.learnTools()
	}
	return o
}

// learnTools waits until the server has been told of the tools from outside. From then on
// it remembers them; a model that calls one before is told that there is none.
func (o *outages) learnTools() {
	o.t.Helper()
	ana := api{o.t, o.url, o.tokens["ana"]}
	agenttest.Eventually(o.t, "the tools from outside", func() bool {
		_, list := ana.call("GET", "/api/v1/tools", "")
		return strings.Contains(string(list), "mad__note") && strings.Contains(string(list), "ticket_note")
	})
}

// outage lets the server live for a while, kills it, and starts it again. Some are
// killed while they shut down, some while they start.
func (o *outages) outage() {
	o.t.Helper()
	kind := o.random.IntN(oddKills)
	o.pass(o.work.life)
	o.down.Lock()
	defer o.down.Unlock()
	switch kind {
	case 0:
		must(o.t, o.server.cmd.Process.Signal(os.Interrupt))
		o.pass(longestStart)
	case 1:
		o.kill()
		o.server = launch(o.t, o.data, o.env...)
		o.pass(longestStart)
	}
	o.kill()
	o.server = startProgram(o.t, o.data, o.env...)
}

// kill is kill -9.
func (o *outages) kill() {
	o.kills++
	o.server.kill()
}

// pass lets a random time pass.
func (o *outages) pass(longest time.Duration) {
	select {
	case <-time.After(time.Duration(o.random.Int64N(int64(longest)))):
	case <-o.ctx.Done():
	}
}

// up waits until a server listens; false where nobody needs it any more.
func (o *outages) up() bool {
	o.down.RLock()
	defer o.down.RUnlock()
	return o.ctx.Err() == nil
}

// await waits until the clients have come to their end.
func (o *outages) await(clients *sync.WaitGroup) {
	o.t.Helper()
	done := make(chan struct{})
	go func() {
		clients.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(agenttest.Hang):
		_, waiting, _ := o.call(o.ctx, "application/json", "rex", http.MethodGet, "/api/v1/approvals?status=pending&limit=5", nil)
		o.cancel()
		<-done
		o.t.Fatalf("runs have not ended after the last start:\n%s\n%.5000s", o.server.log, waiting)
	}
}

// call makes a request; an error says that the server went away meanwhile.
func (o *outages) call(ctx context.Context, kind, name, method, path string, body []byte) (status int, answer []byte, err error) {
	res, err := o.openAs(ctx, kind, name, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

func (o *outages) open(ctx context.Context, name, method, path string, body []byte) (*http.Response, error) {
	return o.openAs(ctx, "application/json", name, method, path, body)
}

func (o *outages) openAs(ctx context.Context, kind, name, method, path string, body []byte) (*http.Response, error) {
	return o.openAt(ctx, o.url+path, kind, name, method, body)
}

func (o *outages) openAt(ctx context.Context, url, kind, name, method string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+o.tokens[name])
	req.Header.Set("Content-Type", kind)
	return o.client.Do(req)
}

// insist makes a request until it is answered; false where nobody needs it any more.
func (o *outages) insist(name, method, path string, body []byte) (status int, answer []byte, ok bool) {
	return o.insistAs("application/json", name, method, path, body)
}

// insistAs is insist with a body of another kind.
func (o *outages) insistAs(kind, name, method, path string, body []byte) (status int, answer []byte, ok bool) {
	for o.up() {
		status, answer, err := o.call(o.ctx, kind, name, method, path, body)
		if err == nil && status != http.StatusServiceUnavailable {
			return status, answer, true
		}
	}
	return 0, nil, false
}
