package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"fusebox/agent/agenttest"
)

// patientModel answers "hello" at once, and everything else once gathered requests
// for it are there at the same time.
type patientModel struct {
	gathered int
	mu       sync.Mutex
	waiting  int
	open     chan struct{}
}

func startPatient(t *testing.T, gathered int) string {
	t.Helper()
	m := &patientModel{gathered: gathered, open: make(chan struct{})}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		server.CloseClientConnections() // requests that are never answered
		server.Close()
	})
	return server.URL + "/v1"
}

func (m *patientModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	var req struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if last := req.Messages[len(req.Messages)-1].Content; !strings.Contains(string(last), "hello") {
		m.arrive(1)
		defer m.arrive(-1)
		select {
		case <-m.open:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk(w, map[string]any{"content": "done"}, "stop")
}

// arrive counts the requests that wait, and lets all go once enough are there.
func (m *patientModel) arrive(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting += n
	if n > 0 && m.waiting == m.gathered {
		close(m.open)
	}
}

// startPlaces is the real program with a model that lets runs wait.
func startPlaces(t *testing.T, gathered int, env ...string) *instance {
	t.Helper()
	env = append(env, "OPENAI_BASE_URL="+startPatient(t, gathered), "FUSEBOX_MODEL=scripted")
	h := &instance{program: startProgram(t, t.TempDir(), append(env, withAdmin()...)...), env: env}
	for _, name := range []string{"ana", "rex", "ria"} {
		add := command(t, t.Context(), []string{"FUSEBOX_DATA=" + h.data}, "user", "add", "--email", name+"@example.org", "--role", "user", "--password-stdin")
		add.Stdin = strings.NewReader(adminPassword + "\n")
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	h.as(t)
	return h
}

// is waits until a run has a status and a place in the queue, 0 for none.
func (a api) is(run, status string, place int) {
	a.t.Helper()
	agenttest.Eventually(a.t, fmt.Sprintf("%s to be %s at place %d", run, status, place), func() bool {
		body := a.must("GET", "/api/v1/runs/"+run, "")
		at, _ := body["queuePlace"].(float64)
		return body["status"] == status && int(at) == place
	})
}

// TestOnePersonsRunsKeepNobodyWaiting: with 70 runs of one token of a person whose model
// says nothing, others get their first word. Of the 70 eight are at work. The ninth
// waits, with its place, also after a restart, and starts when one ends; one that
// waits can be aborted.
func TestOnePersonsRunsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	h := startPlaces(t, 0)
	var conversations, runs []string
	for i := range 70 {
		conversation, run := h.ana.ask(fmt.Sprint("wait ", i))
		conversations, runs = append(conversations, conversation), append(runs, run)
	}
	_, run := h.rex.ask("hello")
	if status := h.rex.rests(run)["status"]; status != "finished" {
		t.Fatalf("the other person's run is %v", status)
	}
	h.ana.is(runs[7], "running", 0)
	h.ana.is(runs[8], "queued", 1)
	h.ana.is(runs[69], "queued", 62)
	for path, want := range map[string]string{
		"/c/" + conversations[8]:  "Waiting for a free place. Yours is the next run.",
		"/c/" + conversations[9]:  "Waiting for a free place. 1 run is ahead of yours.",
		"/runs/" + runs[69]:       "Waiting for a free place. 61 runs are ahead of yours.",
		"/c/" + conversations[69]: "Waiting for a free place. 61 runs are ahead of yours.",
	} {
		if _, body := h.ana.call("GET", path, ""); !strings.Contains(string(body), want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}

	h.restart(t)
	h.ana.is(runs[7], "running", 0)
	h.ana.is(runs[8], "queued", 1)
	h.ana.must("POST", "/api/v1/runs/"+runs[69]+"/abort", "")
	h.ana.is(runs[69], "aborted", 0)
	h.ana.must("POST", "/api/v1/runs/"+runs[3]+"/abort", "")
	h.ana.is(runs[8], "running", 0)
	h.ana.is(runs[9], "queued", 1)
}

// TestManyRunsAtOnce: 200 runs are at work at the same time: the model says
// nothing before all of them have asked it.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	const many = 200
	h := startPlaces(t, many, fmt.Sprint("FUSEBOX_RUN_PARALLEL_PER_USER=", many))
	runs := make([]string, many)
	for i := range runs {
		_, runs[i] = h.ana.ask(fmt.Sprint("wait ", i))
	}
	for _, run := range runs {
		if status := h.ana.rests(run)["status"]; status != "finished" {
			t.Fatalf("a run is %v", status)
		}
	}
}

// TestFewPlaces: where all places are taken, the runs of everybody wait in the
// order in which they came, and the next place is of the person with the fewest at work.
func TestFewPlaces(t *testing.T) {
	t.Parallel()
	h := startPlaces(t, 0, "FUSEBOX_RUN_PARALLEL=2")
	_, first := h.ana.ask("wait 1")
	_, second := h.rex.ask("wait 2")
	h.ana.is(first, "running", 0)
	h.rex.is(second, "running", 0)
	_, third := h.ana.ask("wait 3")
	_, fourth := h.rex.ask("hello")
	h.ana.is(third, "queued", 1)
	h.rex.is(fourth, "queued", 2)
	h.rex.must("POST", "/api/v1/runs/"+second+"/abort", "")
	if status := h.rex.rests(fourth)["status"]; status != "finished" { // rex has none at work now, ana one
		t.Fatalf("the run of the other person is %v", status)
	}
	h.ana.is(third, "running", 0)
}
