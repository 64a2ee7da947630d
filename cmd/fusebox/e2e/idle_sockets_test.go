package e2e

import (
	"testing"

	"fusebox/agent/agenttest"
)

// TestIdleSocketsAreSmall: an open websocket is a reader and a writer, and nothing is
// left of the request that opened it. When it is closed, nothing is left at all.
func TestIdleSocketsAreSmall(t *testing.T) {
	t.Parallel()
	const sockets, others = 100, 20
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_TELEMETRY_METRICS_TOKEN="+metricsToken)...)
	ana := p.admin()
	conversation := ana.must("POST", "/api/v1/conversations", "{}")["id"].(string)
	goroutines := func() int { return int(scrape(t, p.url)["go_goroutines"]) }
	before := goroutines()
	var open []interface{ Close() error }
	for range sockets {
		open = append(open, ana.reads(conversation))
	}
	agenttest.Eventually(t, "the handlers to return", func() bool { return goroutines() <= before+2*sockets+others })
	if now := goroutines(); now < before+2*sockets-others {
		t.Errorf("%d goroutines, %d before: not all sockets are open", now, before)
	}
	for _, s := range open {
		must(t, s.Close())
	}
	agenttest.Eventually(t, "the sockets to end", func() bool { return goroutines() <= before+others })
}
