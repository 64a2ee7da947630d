package e2e

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"fusebox/agent/agenttest"
)

// Sizes of a soak: how many runs a conversation gets, few enough that it is not kept
// in memory as a long one; how many runs are at work at the same time; and for how many
// runs one more person comes to the four of fullInstance.
const (
	soakTalk     = 8
	soakParallel = 16
	soakPerson   = 5000
)

// soakGrowth is by how much the heap may grow at most, in bytes, beyond a fifth.
const soakGrowth = 4 << 20

// soakGoroutines is how many more there may be: those of a look at them.
const soakGoroutines = 4

// soak is a server that many people use one after the other.
type soak struct {
	t       *testing.T
	server  *httptest.Server // the model's
	program *program
	people  []api
	played  atomic.Int64
}

// TestSoak: what a server needs does not depend on how many runs it has seen. It is
// not parallel, so that its figures do not depend on others. With -v it prints them.
func TestSoak(t *testing.T) {
	runs := agenttest.Rounds(t, "FUSEBOX_SOAK_RUNS", 100)
	s := startSoak(t, runs/soakPerson)
	s.play(soakParallel) // what is made once
	idle := s.settled()
	done := 0
	var early float64
	for _, percent := range []int{1, 10, 50, 100} {
		n := max(1, runs*percent/100)
		s.play(n - done)
		done = n
		agenttest.Eventually(t, fmt.Sprintf("no more goroutines after %d runs than %d, and those of a look, as at the start", done, idle), func() bool {
			return s.goroutines() <= idle+soakGoroutines
		})
		heap := scrape(t, s.program.url)["go_memstats_heap_alloc_bytes"]
		t.Logf("%d runs: %.1f MB of heap in use, %.1f MB resident", done, heap/(1<<20), s.resident()/(1<<20))
		if percent == 10 {
			early = heap
		}
		if percent == 100 && heap > early+early/5+soakGrowth {
			t.Errorf("the heap has grown from %.0f to %.0f bytes", early, heap)
		}
	}
}

func startSoak(t *testing.T, more int) *soak {
	t.Helper()
	model := newScriptedModel()
	model.plays("calculate", []asked{{"calculator", `{"expression":"6*7"}`}, {"update_plan", `{"plan":[{"step":"look","status":"pending"}]}`}})
	s := &soak{t: t, server: httptest.NewServer(model)}
	t.Cleanup(s.server.Close)
	data := t.TempDir()
	fullInstance.put(t, data)
	names := []string{"admin", "ana", "rex", "ria"}
	for i := range more {
		names = append(names, fmt.Sprint("person", i))
		addUser(t, data, names[len(names)-1]+"@example.org", "user")
	}
	// Garbage is collected so often that the heap is hardly more than what is in use.
	s.program = startProgram(t, data, "OPENAI_BASE_URL="+s.server.URL+"/v1", "FUSEBOX_MODEL=scripted",
		"FUSEBOX_TELEMETRY_METRICS_TOKEN="+metricsToken, "GOGC=5")
	for _, name := range names {
		s.people = append(s.people, api{t, s.program.url, s.program.token(name + "@example.org")})
	}
	return s
}

// play lets people have conversations until there were some more runs.
func (s *soak) play(runs int) {
	s.t.Helper()
	left := make(chan int, runs/soakTalk+1)
	for ; runs > 0; runs -= soakTalk {
		left <- min(runs, soakTalk)
	}
	close(left)
	var all sync.WaitGroup
	for range soakParallel {
		all.Go(func() {
			for n := range left {
				s.talk(n)
			}
		})
	}
	all.Wait()
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// talk is a conversation that its owner reads on a websocket: a short answer, and one
// with tools, in turn.
func (s *soak) talk(runs int) {
	i := int(s.played.Add(1))
	who := s.people[i%len(s.people)]
	conversation := who.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	conn := who.reads(conversation)
	defer func() { _ = conn.Close() }()
	for n := range runs {
		who.post(conversation, []string{"hello", "calculate"}[n%2])
		waitFor(s.t, conn, "finish")
	}
}

// settled waits until nothing is on its way any more, and counts goroutines: the fewest
// of several looks, since each look has some of its own.
func (s *soak) settled() int {
	s.t.Helper()
	fewest, looks := math.MaxInt, 0
	agenttest.Eventually(s.t, "goroutines to end", func() bool {
		if n := s.goroutines(); n < fewest {
			fewest, looks = n, 0
		}
		looks++
		return looks == settledLooks
	})
	return fewest
}

// settledLooks is how many looks in a row are to find no fewer.
const settledLooks = 10

// goroutines counts those of the program, without those of connections that nobody uses.
func (s *soak) goroutines() int {
	s.t.Helper()
	http.DefaultClient.CloseIdleConnections()
	s.server.CloseClientConnections()
	return int(scrape(s.t, s.program.url)["go_goroutines"])
}

// resident is the memory of the process as the system counts it, SQLite's included.
func (s *soak) resident() float64 {
	return scrape(s.t, s.program.url)["process_resident_memory_bytes"]
}
