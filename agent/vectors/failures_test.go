package vectors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/demo"
)

// always answers every call with a status and a body.
func always(status int, body string) func(http.ResponseWriter, []string) bool {
	return func(w http.ResponseWriter, _ []string) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}

// vectorsOf is an answer with a vector for each text, which each has.
func vectorsOf(each func(i int) any, count func(texts int) int) func(http.ResponseWriter, []string) bool {
	return func(w http.ResponseWriter, texts []string) bool {
		data := []any{}
		for i := range count(len(texts)) {
			data = append(data, map[string]any{"index": i, "embedding": each(i)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
		return true
	}
}

// TestEndpointFails: whatever an endpoint does wrong ends in a state that says what helps, after
// bounded tries; searches find by words meanwhile, a restart asks nothing more, and a person's
// Try again does.
func TestEndpointFails(t *testing.T) {
	t.Parallel()
	all := func(n int) int { return n }
	for name, tc := range map[string]struct {
		answer func(http.ResponseWriter, []string) bool
		said   string
		// calls is how many there are at most.
		calls int
	}{
		"not found":       {always(404, `{"error":{"message":"no such model"}}`), "does not know this address or model (404): no such model", 1},
		"not for vectors": {always(400, `{"error":{"message":"this model has no embeddings"}}`), "this model has no embeddings", 1},
		"a chat":          {always(200, `{"choices":[]}`), "another number of vectors", 1},
		"no JSON":         {always(200, `<html>`), "something else than vectors", 1},
		"key":             {always(401, ``), "rejected the API key", 1},
		"fewer":           {vectorsOf(func(int) any { return []float32{1, 2} }, func(n int) int { return n - 1 }), "another number of vectors", 1},
		"twice":           {vectorsOf(func(int) any { return []float32{1, 2} }, func(n int) int { return n + 1 }), "another number of vectors", 1},
		"zero":            {vectorsOf(func(int) any { return []float32{0, 0} }, all), "a vector that is zero", 1},
		"no number":       {vectorsOf(func(int) any { return "AADAfw==" }, all), "not numbers", 1},
		"empty vectors":   {vectorsOf(func(int) any { return []float32{} }, all), "lengths that cannot be used", 1},
		"other lengths":   {vectorsOf(func(i int) any { return make([]float32, i+1) }, all), "vector", 1},
		"all the same":    {vectorsOf(func(int) any { return []float32{1, 2} }, all), "does not tell answers", 1},
		"too many":        {always(429, ``), "received too many requests (429)", 5},
		"broken":          {always(500, ``), "returned an error (500)", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add("ana", "pump", "The breaker of pump 7 trips at 16 A.\n")
			w.answering(tc.answer)
			x, stop := w.index(demo.EmbeddingModel)
			for n := 1; n < tc.calls; n++ {
				w.clock.Outwait(t, time.Minute<<(n-1))
			}
			w.await(x, "", "stopped", func(s agent.VectorStatus) bool { return s.Problem != "" })
			if s, err := x.Status(t.Context(), "ana"); err != nil || !strings.Contains(s.Problem, tc.said) || s.Embedded != 0 {
				t.Errorf("%+v, %v", s, err)
			}
			if n := len(w.calls()); n != tc.calls {
				t.Errorf("%d calls", n)
			}
			if got, _ := w.find(x, "ana", "breaker"); len(got) != 1 {
				t.Errorf("found by words: %v", got)
			}
			stop()
			x, _ = w.index(demo.EmbeddingModel)
			if s, err := x.Status(t.Context(), ""); err != nil || s.Problem == "" {
				t.Errorf("after a restart: %+v, %v", s, err)
			}
			w.answering(nil)
			w.ok(x.Retry(t.Context()))
			w.await(x, "", "embedded after all", done)
		})
	}
}

// TestQuestionFails: a search whose question cannot be embedded finds by words, says so, and the
// next ones do not wait for the endpoint.
func TestQuestionFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	w.answering(always(503, ""))
	before := len(w.calls())
	for range 2 {
		if got, wordsOnly := w.find(x, "ana", "breaker"); len(got) != 1 || !wordsOnly {
			t.Errorf("found %v, words only: %t", got, wordsOnly)
		}
	}
	if n := len(w.calls()) - before; n != 1 {
		t.Errorf("%d calls", n)
	}
	w.answering(nil)
	w.clock.Advance(time.Minute)
	if got, wordsOnly := w.find(x, "ana", "马铃薯种植"); len(got) != 1 || wordsOnly {
		t.Errorf("later: found %v, words only: %t", got, wordsOnly)
	}
}

// TestQuestionWaitsShortly: an endpoint that is silent holds no search up.
func TestQuestionWaitsShortly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	held := make(chan struct{})
	defer close(held)
	w.answering(func(http.ResponseWriter, []string) bool { <-held; return false })
	found := make(chan bool)
	go func() {
		_, wordsOnly := w.find(x, "ana", "breaker")
		found <- wordsOnly
	}()
	w.clock.Outwait(t, 2*time.Second)
	if !agenttest.Receive(t, "an answer in time", found) {
		t.Error("an endpoint that is silent does not matter")
	}
}

// TestRefusedPassage: a passage that the model does not take is left out, and the others are
// embedded; where it takes none, it is asked no more.
func TestRefusedPassage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var lines strings.Builder
	for i := range 5 {
		fmt.Fprintf(&lines, "Line %d is about pumps.\n", i)
	}
	w.add("ana", "lines", lines.String())
	refusing := func(words string) func(http.ResponseWriter, []string) bool {
		return func(res http.ResponseWriter, texts []string) bool {
			return strings.Contains(strings.Join(texts, " "), words) && always(400, `{"error":{"message":"too long"}}`)(res, texts)
		}
	}
	w.answering(refusing("Line 3"))
	x, stop := w.index(demo.EmbeddingModel)
	w.await(x, "ana", "all others embedded", done)
	if n := len(w.calls()); n > 9 {
		t.Errorf("%d calls", n)
	}
	stop()
	w.add("ana", "more", strings.ReplaceAll(lines.String(), "Line", "Row"))
	w.answering(refusing("Row"))
	before := len(w.calls())
	x, _ = w.index(demo.EmbeddingModel)
	w.await(x, "ana", "stopped", func(s agent.VectorStatus) bool { return s.Problem != "" && s.Embedded == 7 })
	if n := len(w.calls()) - before; n != 4 {
		t.Errorf("%d calls", n)
	}
}
