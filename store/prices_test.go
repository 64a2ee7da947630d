package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestPrices: what was set is read back, a second word about the same day takes
// the first one's place, and the audit log has a line for each change.
func TestPrices(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	day := agent.Day(clock.Now())
	row := agent.PriceRow{
		Provider: "far", Model: "deepseek-chat", ValidFrom: day, Known: true, Source: "https://example.org/prices",
		Price:     agent.Price{Input: 280_000, Cached: 28_000, Output: 420_000, Reasoning: 1},
		CreatedBy: "ada@example.org", CreatedAt: agent.Stamp(clock),
	}
	check(t, s.SavePrice(ctx, row))
	dearer := row
	dearer.Output = 500_000
	check(t, s.SavePrice(ctx, dearer))
	gone := row
	gone.ValidFrom, gone.Known = day.AddDate(0, 0, 1), false
	check(t, s.SavePrice(ctx, gone))
	gone.Price = agent.Price{} // a price that is not known has no figures
	got, err := s.Prices(ctx)
	check(t, err)
	if diff := cmp.Diff([]agent.PriceRow{dearer, gone}, got); diff != "" {
		t.Error(diff)
	}
	audit, _, err := s.AuditRows(ctx, agent.AuditFilter{Action: "price."}, agent.Page{})
	check(t, err)
	var actions []string
	for _, a := range audit {
		actions = append(actions, a.Action+" "+a.Target+" "+a.Actor)
	}
	want := []string{"price.remove far/deepseek-chat ada@example.org", "price.set far/deepseek-chat ada@example.org", "price.set far/deepseek-chat ada@example.org"}
	if diff := cmp.Diff(want, actions); diff != "" {
		t.Error(diff)
	}
}

// TestPricesRefused: a bad row names its field and changes nothing.
func TestPricesRefused(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	good := agent.PriceRow{Model: "m", ValidFrom: agent.Day(clock.Now()), Known: true, Price: agent.Price{Input: 1}, Source: "x"}
	for field, spoil := range map[string]func(*agent.PriceRow){
		"model":     func(r *agent.PriceRow) { r.Model = "" },
		"model ":    func(r *agent.PriceRow) { r.Model = "a\nb" },
		"model  ":   func(r *agent.PriceRow) { r.Model = strings.Repeat("x", 201) },
		"provider":  func(r *agent.PriceRow) { r.Provider = "a\x00" },
		"input":     func(r *agent.PriceRow) { r.Input = -1 },
		"cached":    func(r *agent.PriceRow) { r.Cached = agent.MaxPrice + 1 },
		"output":    func(r *agent.PriceRow) { r.Output = agent.MaxPrice + 1 },
		"reasoning": func(r *agent.PriceRow) { r.Reasoning = -1 },
		"validFrom": func(r *agent.PriceRow) { r.ValidFrom = time.Time{} },
	} {
		bad := good
		spoil(&bad)
		err := s.SavePrice(t.Context(), bad)
		if agent.CodeOf(err) != agent.Invalid || !strings.HasPrefix(agent.MessageOf(err), strings.TrimSpace(field)+":") {
			t.Errorf("%s: %v", field, err)
		}
		if err := s.ImportPrices(t.Context(), "ada", "x", []agent.PriceRow{good, bad}, agent.PriceCounts{}); agent.CodeOf(err) != agent.Invalid {
			t.Errorf("import of a bad %s: %v", field, err)
		}
	}
	rows, err := s.Prices(t.Context())
	check(t, err)
	if len(rows) != 0 {
		t.Errorf("%d rows were kept", len(rows))
	}
}

// TestImportPrices: many rows, one line in the audit log, none beyond the bound.
func TestImportPrices(t *testing.T) {
	t.Parallel()
	clock := agenttest.NewClock()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), clock, nil)
	ctx := t.Context()
	many := func(n int) []agent.PriceRow {
		rows := make([]agent.PriceRow, n)
		for i := range rows {
			rows[i] = agent.PriceRow{Model: fmt.Sprint("m", i), ValidFrom: agent.Day(clock.Now()), Known: true, Price: agent.Price{Input: 1}, Source: "list"}
		}
		return rows
	}
	check(t, s.ImportPrices(ctx, "ada@example.org", "a list", many(300), agent.PriceCounts{New: 300, Skipped: 2}))
	if err := s.ImportPrices(ctx, "ada@example.org", "a list", many(agent.MaxPriceRows+1), agent.PriceCounts{}); agent.CodeOf(err) != agent.Conflict {
		t.Errorf("too many rows: %v", err)
	}
	rows, err := s.Prices(ctx)
	check(t, err)
	audit, _, err := s.AuditRows(ctx, agent.AuditFilter{Action: "price."}, agent.Page{})
	check(t, err)
	if len(rows) != 300 || len(audit) != 1 || audit[0].Detail != `{"new":300,"changed":0,"same":0,"skipped":2,"source":"a list"}` {
		t.Errorf("%d rows, audited %+v", len(rows), audit)
	}
}
