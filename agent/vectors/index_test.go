package vectors_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/demo"
	"fusebox/agent/provider"
	"fusebox/agent/vectors"
	"fusebox/store"
	"fusebox/store/sqlite"
)

// world is a store with the documents of ana and ben, and an endpoint that a test can have answer
// otherwise.
type world struct {
	*testing.T
	db    *store.Store
	clock *agenttest.Clock
	path  string
	price agent.Price

	endpoint *provider.Router
	mu       sync.Mutex
	answer   func(w http.ResponseWriter, texts []string) bool // true where it has answered
	asked    [][]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, clock: agenttest.NewClock(), path: filepath.Join(t.TempDir(), "f.db"), price: agent.Price{Input: 1_000_000}}
	w.open()
	for _, name := range []string{"ana", "ben"} {
		w.ok(w.db.CreateUser(t.Context(), agent.User{ID: name, Email: name + "@example.org", Role: agent.RoleAdmin}, "h"))
	}
	model := demo.Handler(demo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent struct{ Input []string }
		_ = json.Unmarshal(body, &sent)
		w.mu.Lock()
		w.asked = append(w.asked, sent.Input)
		answer := w.answer
		w.mu.Unlock()
		if answer == nil || !answer(res, sent.Input) {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			model.ServeHTTP(res, r)
		}
	}))
	t.Cleanup(server.Close)
	p, err := provider.New(provider.Config{BaseURL: server.URL + "/v1", HTTPClient: server.Client(), Clock: w.clock, IdleTimeout: time.Hour, Models: []provider.Model{{Name: demo.EmbeddingModel}}})
	w.ok(err)
	w.endpoint, err = provider.NewRouter(provider.Endpoints{Offered: []*provider.Provider{p}}, nil)
	w.ok(err)
	return w
}

// row reads a row of the database past everything.
func (w *world) row(into any, query string, args ...any) {
	w.Helper()
	db, err := sqlite.Connect(w.path, "_query_only=1", 1)
	w.ok(err)
	defer func() { _ = db.Close() }()
	w.ok(db.QueryRowContext(w.Context(), query, args...).Scan(into))
}

// vectors is how many there are.
func (w *world) vectors() (n int) {
	w.Helper()
	w.row(&n, `SELECT COUNT(*) FROM passage_vectors`)
	return n
}

// vectorOf is the vector of a document's only passage.
func (w *world) vectorOf(document string) (v []byte) {
	w.Helper()
	w.row(&v, `SELECT vector FROM passage_vectors JOIN passages ON passages.id = passage_id WHERE document_id = $1`, document)
	return v
}

// bytesInFiles is how often they are in the files of the database.
func (w *world) bytesInFiles(b []byte) (n int) {
	w.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(w.path + suffix)
		w.ok(err)
		n += bytes.Count(content, b)
	}
	return n
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) open() {
	w.Helper()
	var err error
	w.db, err = store.Open(w.Context(), store.Options{Path: w.path, Clock: w.clock, NewID: agenttest.IDs()})
	w.ok(err)
	w.Cleanup(func() { _ = w.db.Close() })
}

// answering has the endpoint answer otherwise from now on.
func (w *world) answering(f func(w http.ResponseWriter, texts []string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = f
}

func (w *world) calls() [][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// add adds a document that is one passage a line.
func (w *world) add(userID, id, text string) {
	w.Helper()
	d, err := w.db.AddDocument(w.Context(), agent.Document{ID: id, AddedBy: userID, Name: id, File: id, Hash: id, State: agent.DocumentReading})
	w.ok(err)
	var cut []agent.Passage
	at := 0
	for line := range strings.Lines(text) {
		cut = append(cut, agent.Passage{Start: at, End: at + len(line)})
		at += len(line)
	}
	d.State, d.Reading = agent.DocumentReady, agent.Reading{Text: text, Sections: []agent.Section{{End: len(text)}}}
	w.ok(w.db.FinishReading(w.Context(), d, cut))
}

// index runs an index of a model until the test ends, or the returned function is called.
func (w *world) index(model string) (x *vectors.Index, stop func()) {
	w.Helper()
	x, err := vectors.New(w.Context(), vectors.Options{
		Store: w.db, Embedder: w.endpoint, Counter: w.endpoint, Model: model, Clock: w.clock, Log: slog.New(slog.DiscardHandler),
		Price: func(string) (agent.Price, bool) { return w.price, w.price != agent.Price{} },
	})
	w.ok(err)
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.Run(ctx)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		agenttest.Receive(w.T, "the end of the index", ended)
	})
	w.Cleanup(stop)
	return x, stop
}

// await waits until the state of a person's passages, or of all, is as wanted.
func (w *world) await(x *vectors.Index, userID, what string, is func(agent.VectorStatus) bool) {
	w.Helper()
	agenttest.Eventually(w.T, what, func() bool {
		s, err := x.Status(w.Context(), userID)
		w.ok(err)
		return is(s)
	})
}

func done(s agent.VectorStatus) bool { return s.Passages > 0 && s.Embedded == s.Passages }

func (w *world) find(x *vectors.Index, userID, question string) (names []string, wordsOnly bool) {
	w.Helper()
	f, err := x.Find(w.Context(), agent.Search{UserID: userID, In: agent.Everything(), Query: question, Limit: 3})
	w.ok(err)
	for _, p := range f.Passages {
		names = append(names, p.Name)
	}
	return names, f.WordsOnly
}

// library are documents of which some answer questions in other words.
func (w *world) library() {
	w.Helper()
	w.add("ana", "餐补.md", "午饭餐补每天十八元，随工资发放。\n")
	w.add("ana", "beds.md", "Potatoes go into the soil once the frost is over.\n")
	w.add("ana", "pump.txt", "The breaker of pump 7 trips at 16 A.\n")
	w.add("ben", "rent.txt", "The lease of the depot ends in May.\n")
}

// TestMeaningIsFound: what shares no word with a question is found once it was embedded, in the
// other language too; what answers nothing is not, and others' documents are not.
func TestMeaningIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	words, _ := w.index("")
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	for _, tc := range []struct{ user, question, want string }{
		{"ana", "How high is the meal allowance?", "餐补.md"},
		{"ana", "马铃薯种植", "beds.md"},
		{"ana", "breaker of pump 7", "pump.txt"},
		{"ana", "水泵断路器", "pump.txt"},
		{"ana", "租金 租赁", ""},
		{"ben", "租赁的仓库", "rent.txt"},
		{"ana", "Which whales sing?", ""},
	} {
		got, wordsOnly := w.find(x, tc.user, tc.question)
		if first := strings.Join(got[:min(1, len(got))], ""); first != tc.want || wordsOnly {
			t.Errorf("%s asks %q: found %v, words only: %t, want %q", tc.user, tc.question, got, wordsOnly, tc.want)
		}
	}
	if got, wordsOnly := w.find(words, "ana", "马铃薯种植"); len(got) > 0 || wordsOnly {
		t.Errorf("without a model %v is found", got)
	}
	if _, err := x.Find(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "?!", Limit: 3}); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("signs alone: %v", err)
	}
}

// TestPeopleTakeTurns: nobody waits for another one's many passages.
func TestPeopleTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("ana", "many", strings.Repeat("A line about pumps.\n", 80))
	w.add("ben", "lease", "The lease of the depot ends in May.\n")
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	var sizes []int
	for _, texts := range w.calls()[1:] { // the first one measures the model
		sizes = append(sizes, len(texts))
	}
	if !slices.Equal(sizes, []int{32, 1, 32, 16}) {
		t.Errorf("calls of %v texts", sizes)
	}
}
