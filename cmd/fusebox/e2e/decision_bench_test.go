package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkDecision is the time from the request that approves a command to the
// moment at which the command itself looks at the clock: through HTTP, the real
// program, SQLite and the start of a shell.
func BenchmarkDecision(b *testing.B) {
	h := startInstance(b)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		message := fmt.Sprint("round ", i)
		h.model.plays(message, []asked{sh("date +%s%N > out")})
		conversation, run := h.ana.ask(message)
		h.conversationOf[run] = conversation
		h.ana.rests(run)
		card := h.cards(run)[0]
		asked := time.Now()
		decides(h.rex, card, `{"decision":"approve"}`)
		h.ana.rests(run)
		at, err := strconv.ParseInt(strings.TrimSpace(h.left(b, run, "out")), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Unix(0, at).Sub(asked))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
