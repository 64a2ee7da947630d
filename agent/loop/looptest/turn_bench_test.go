package looptest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/store/storetest"
)

// BenchmarkTurn is a message and its answer in chats that have as many messages
// behind them, from the post to the first delta and to the end. A turn of each before
// the measurement lets this process know the chat, as it does where people talk.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{0, 12, 200, 2000} {
		b.Run(fmt.Sprint("messages=", messages), func(b *testing.B) {
			path := storetest.Migrated(b, filepath.Join(b.TempDir(), "f.db"))
			chat := storetest.History{Runs: max(messages/storetest.MessagesPerRun, 1), Conversations: 1, Users: 1, Days: 1, End: time.Now()}
			if err := chat.Fill(b.Context(), path); err != nil {
				b.Fatal(err)
			}
			benchTurns(b, path, messages > 0)
		})
	}
}

// BenchmarkTurnOfAYear is BenchmarkTurn in a database of a year.
func BenchmarkTurnOfAYear(b *testing.B) {
	if os.Getenv("FUSEBOX_YEAR") == "" {
		b.Skip("skipped: FUSEBOX_YEAR=1 fills a database of a year")
	}
	path := storetest.Migrated(b, filepath.Join(b.TempDir(), "f.db"))
	if err := storetest.YearOfRuns(time.Now()).Fill(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	for name, old := range map[string]bool{"new": false, "old": true} {
		b.Run("chat="+name, func(b *testing.B) { benchTurns(b, path, old) })
	}
}

// benchTurns measures turns in conversation-0, or each in a new one.
func benchTurns(b *testing.B, path string, old bool) {
	var posted time.Time
	var first []time.Duration
	h := newBenchHouse(b, http.HandlerFunc((&firstDelta{}).answer), path, 50, func(events []agent.Event) {
		for _, e := range events {
			if _, ok := e.Data.(agent.TextDelta); ok && !posted.IsZero() {
				first, posted = append(first, time.Since(posted)), time.Time{}
			}
		}
	})
	who := agent.Viewer{UserID: "user-0", Role: agent.RoleUser}
	chat := "conversation-0"
	turn := func() {
		if !old {
			chat = h.newID()
			if err := h.db.CreateConversation(b.Context(), agent.Conversation{ID: chat, OwnerID: who.UserID, ApprovalMode: agent.ModeDefault}); err != nil {
				b.Fatal(err)
			}
		}
		posted = time.Now()
		h.turn(b, who, chat, "Hello")
	}
	turn()
	first = nil
	before := processorTime()
	for b.Loop() {
		turn()
	}
	b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "cpu-us/turn")
	slices.Sort(first)
	b.ReportMetric(float64(first[len(first)/2].Microseconds()), "first-delta-us")
}
