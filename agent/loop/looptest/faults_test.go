package looptest

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider"
)

// faultRetries is how often the provider under test tries again.
const faultRetries = 4

// It asks in one piece once brokenStreams streams broke inside a tool call, faultFallbacks times.
const (
	brokenStreams  = 2
	faultFallbacks = 3
)

// recovery is how many connections in a row meet the fault.
type faultRecovery struct {
	name string
	hits int
}

var faultRecoveries = []faultRecovery{{"at once", 1}, {"after 3 faults", 3}, {"never", faultRetries + 1}}

// faultCell is one combination of the matrix.
//
// A fault that can strike in the middle of a stream does so in the first model
// call. All others need an answer that has not begun; for the places behind the
// first byte they strike the second model call, after the tools have run, and
// the first call is cut once at the place: so what was half shown, and called,
// is behind the run when the fault comes.
type faultCell struct {
	fault
	at faultPlace
	faultRecovery
}

func (c faultCell) title() string { return c.fault.name + "/" + c.at.name + "/" + c.faultRecovery.name }

// second reports whether the fault strikes the second model call.
func (c faultCell) second() bool { return c.at.chunks > 0 && !c.streams }

// inCall reports whether the fault breaks streams off inside a tool call. After the second
// of them the endpoint is asked in one piece, three times; this one streams all the same,
// and each of these is tried a second time. What stalls is in one piece a fault as any other.
func (c faultCell) inCall() bool { return c.streams && c.at.chunks > 2 }

// fates are what the connections of the cell meet, one after the other.
func (c faultCell) fates() []faultFate {
	hit := faultFate{fault: &c.fault, at: c.at}
	var list []faultFate
	if c.second() {
		hit.at = faultPlaces[0]
		list = append(list, faultFate{fault: &cutFault, at: c.at}, faultFate{})
	}
	for range c.hits {
		list = append(list, hit)
	}
	return list
}

// faultWorld is a world whose model follows a real endpoint.
type faultWorld struct {
	*world
	cell   faultCell
	server *faultServer
	log    bytes.Buffer
}

func newFaultWorld(t *testing.T, c faultCell) *faultWorld {
	t.Helper()
	w := &faultWorld{world: newWorld(t), cell: c}
	clock := newFaultClock(t)
	w.server = newFaultServer(t, clock, c.fates())
	log := slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p, err := provider.New(provider.Config{
		BaseURL: "http://" + w.server.listener.Addr().String() + "/v1", APIKey: faultKey, HTTPClient: w.server.client(),
		Retry: provider.RetryConfig{Max: faultRetries, Cap: longestRetry, Fallbacks: faultFallbacks}, Clock: clock, Logger: log,
		Rand: func() float64 { return 0.5 }, // no jitter
	})
	w.must(err)
	w.tools.specs = []agent.ToolSpec{
		{Name: "count", Effect: agent.EffectRead, Idempotent: true}, {Name: "look", Effect: agent.EffectRead, Idempotent: true},
	}
	w.runner.Loop.Provider, w.runner.Loop.Log = watchedProvider{p, clock}, log
	return w
}

// TestFaults plays every fault at every place with every recovery through the
// real loop, provider and database.
func TestFaults(t *testing.T) {
	t.Parallel()
	for i, f := range faults {
		if !agenttest.Full() && i%4 != 0 {
			continue
		}
		for _, at := range faultPlaces {
			for _, r := range faultRecoveries {
				c := faultCell{f, at, r}
				switch {
				case c.inCall() && c.mute && c.hits > faultRetries:
					c.hits += brokenStreams
				case c.inCall() && c.hits > faultRetries:
					c.hits = brokenStreams * (1 + faultFallbacks)
				}
				t.Run(c.title(), func(t *testing.T) {
					t.Parallel()
					c.play(t)
				})
			}
		}
	}
}

func (c faultCell) play(t *testing.T) {
	w, want := newFaultWorld(t, c), c.want()
	run := w.post(firstPost)
	w.ends(run, want)
	w.triesAgain(want)
	w.ranOnce(want)
	w.keepsTexts(want.texts)
	w.foldsToMessages()
	w.goesOn(want)
	w.keepsTheKey()
}

// faultOutcome is what a cell must come to.
type faultOutcome struct {
	status  agent.Status
	reason  agent.StopReason
	retries []string // as retryText
	tries   int
	ran     int      // how often each tool
	texts   []string // of the model, message by message
}

func retryText(r agent.RetryEvent) string {
	return fmt.Sprintf("%d of %d, status %d, after %d ms", r.Attempt, r.MaxAttempts, r.Status, r.DelayMS)
}

func (c faultCell) want() faultOutcome {
	o := faultOutcome{status: agent.StatusFinished, reason: agent.StopGoal, ran: 1, texts: []string{textLooks, textTells}}
	if c.second() {
		o.retries = append(o.retries, cutFault.retry(1))
	}
	for n := 1; n <= min(c.hits, faultRetries) && !c.fatal && !c.harmless && !c.inCall(); n++ {
		o.retries = append(o.retries, c.fault.retry(n))
	}
	o.tries = 2 + len(o.retries)
	if c.inCall() {
		o.retries = slices.Repeat([]string{c.fault.retry(1)}, (c.hits+1)/2)
		for n := 2; c.mute && n <= c.hits-brokenStreams-1; n++ {
			o.retries = append(o.retries[:n], c.fault.retry(n))
		}
		o.tries = 2 + c.hits
	}
	if c.harmless || !c.fatal && c.hits <= faultRetries { // else never
		return o
	}
	o.status, o.reason = agent.StatusFailed, agent.StopProviderError
	switch {
	case c.second():
		o.texts = o.texts[:1]
	case c.inCall():
		o.ran, o.texts, o.tries = 0, o.texts[:1], c.hits
	case c.at.chunks > 0: // what was shown of the last try is kept
		o.ran, o.texts, o.tries = 0, o.texts[:1], o.tries-1
	default:
		o.ran, o.texts, o.tries = 0, nil, o.tries-1
	}
	return o
}

// retry is the event before the n-th retry of a model call.
func (f fault) retry(n int) string {
	wait := max(f.asks, min(longestRetry, 500*time.Millisecond<<(n-1)))
	return retryText(agent.RetryEvent{Attempt: n, MaxAttempts: faultRetries, Status: f.status, DelayMS: wait.Milliseconds()})
}
