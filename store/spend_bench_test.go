package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
	"fusebox/store/storetest"
)

// benchBill is a store with a million lines within the year before benchEnd.
func benchBill(b *testing.B) *store.Store {
	b.Helper()
	path := filepath.Join(b.TempDir(), "f.db")
	s := open(b, path, agenttest.NewClock(), nil)
	check(b, storetest.Year(benchEnd).Fill(b.Context(), path))
	return s
}

var benchEnd = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

// BenchmarkSpend reads each part of a page of spend by itself.
func BenchmarkSpend(b *testing.B) {
	s := benchBill(b)
	berlin, err := time.LoadLocation("Europe/Berlin")
	check(b, err)
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	check(b, err)
	for _, span := range []struct {
		name string
		days int
		span agent.BudgetSpan
	}{{"year", 365, agent.SpanWeek}, {"month", 30, agent.SpanDay}} {
		for _, zone := range []*time.Location{time.UTC, berlin, kolkata} {
			y, m, d := benchEnd.Date()
			q := agent.SpendQuery{From: agent.StartOfDay(y, m, d-span.days, zone), To: agent.StartOfDay(y, m, d, zone), Zone: zone, Span: span.span, Limit: 20}
			for _, group := range agent.SpendGroups {
				q.Group = group
				b.Run(span.name+"/"+zone.String()+"/"+string(group), func(b *testing.B) {
					for b.Loop() {
						if rows, err := s.Spend(b.Context(), q); err != nil || len(rows) < 12 {
							b.Fatalf("%d rows, %v", len(rows), err)
						}
					}
				})
			}
			b.Run(span.name+"/"+zone.String()+"/chart", func(b *testing.B) {
				for b.Loop() {
					_, err := s.SpendByDayAndModel(b.Context(), q)
					check(b, err)
				}
			})
		}
	}
}

// BenchmarkCheckSums adds up a million lines again.
func BenchmarkCheckSums(b *testing.B) {
	s := benchBill(b)
	for b.Loop() {
		check(b, s.CheckSums(context.Background()))
	}
}
