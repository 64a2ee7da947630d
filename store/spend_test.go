package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/store"
)

// oddZones have days that begin on no whole hour of UTC, have no midnight, or
// have 23, 23½, 24½ or 25 hours.
var oddZones = []string{"UTC", "Europe/Berlin", "America/Santiago", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe"}

// TestSpendIsWhatTheLinesAddUpTo: in any zone, over any range and by any group
// the sums are those of the lines.
func TestSpendIsWhatTheLinesAddUpTo(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
			lines := randomLines(r)
			check(t, s.AddSteps(lines))
			check(t, s.CheckSums(t.Context()))
			markFirst(lines)
			for _, name := range oddZones {
				zone, err := time.LoadLocation(name)
				check(t, err)
				for range 6 {
					from := changes[r.IntN(len(changes))].Add(time.Duration(r.Int64N(int64(96*time.Hour))) - 60*time.Hour)
					q := agent.SpendQuery{From: from, To: from.Add(time.Duration(r.Int64N(int64(120*time.Hour) << r.IntN(6)))), Zone: zone}
					if r.IntN(2) == 0 { // whole days, as pages ask for them
						y, m, d := from.In(zone).Date()
						q.From, q.To = agent.StartOfDay(y, m, d, zone), agent.StartOfDay(y, m, d+r.IntN(6<<r.IntN(6)), zone)
					}
					if r.IntN(3) == 0 {
						q.UserID = "user-1"
					}
					compareSpend(t, s, lines, q)
				}
			}
		})
	}
}

// changes are when clocks change in some of the zones.
var changes = []time.Time{
	time.Date(2025, 3, 30, 1, 0, 0, 0, time.UTC), time.Date(2025, 10, 26, 1, 0, 0, 0, time.UTC), // Berlin
	time.Date(2025, 9, 7, 4, 0, 0, 0, time.UTC),                                                  // Santiago
	time.Date(2025, 4, 5, 15, 0, 0, 0, time.UTC), time.Date(2025, 10, 4, 15, 30, 0, 0, time.UTC), // Lord Howe
}

// randomLines are lines around the changes of clocks, many of them on the edge of an hour.
func randomLines(r *rand.Rand) []agent.Step {
	var lines []agent.Step
	for run := range 40 + r.IntN(40) {
		at := changes[r.IntN(len(changes))].Add(time.Duration(r.Int64N(int64(96*time.Hour))) - 48*time.Hour).Truncate(time.Millisecond)
		for n := range 1 + r.IntN(5) {
			if r.IntN(3) == 0 {
				at = at.Truncate(15 * time.Minute).Add(-time.Duration(r.IntN(2)) * time.Millisecond)
			}
			line := agent.Step{
				RunID: fmt.Sprint("run-", run), N: n + 1, ConversationID: fmt.Sprint("conversation-", run%9), UserID: fmt.Sprint("user-", run%4),
				Model: fmt.Sprint("model-", r.IntN(3)), CostMicros: r.Int64N(100_000), EndedAt: at,
				Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: r.Int64N(9000), CachedTokens: r.Int64N(50), OutputTokens: r.Int64N(900), ReasoningTokens: r.Int64N(40)}, Estimated: r.IntN(5) == 0},
			}
			if r.IntN(6) == 0 {
				line.Unpriced, line.CostMicros = true, 0
			}
			for tool := range r.IntN(4) {
				line.Tools = append(line.Tools, agent.ToolUse{Name: fmt.Sprint("tool-", tool), Calls: 1 + r.Int64N(3)})
			}
			lines = append(lines, line)
			at = at.Add(time.Duration(r.Int64N(int64(20 * time.Hour)))).Truncate(time.Millisecond)
		}
	}
	return lines
}

// markFirst marks the first use of each tool in its run, as the store does.
func markFirst(lines []agent.Step) {
	seen := map[string]bool{}
	for i, l := range lines {
		lines[i].Tools = slices.Clone(l.Tools)
		for j, use := range l.Tools {
			at := l.RunID + " " + use.Name
			lines[i].Tools[j].First = !seen[at]
			seen[at] = true
		}
	}
}

// compareSpend checks every group of a query against the lines.
func compareSpend(t *testing.T, s *store.Store, lines []agent.Step, q agent.SpendQuery) {
	t.Helper()
	for _, q.Group = range agent.SpendGroups {
		got, err := s.Spend(t.Context(), q)
		check(t, err)
		for i := range got {
			got[i].Label = ""
		}
		if diff := gocmp.Diff(spendOf(lines, q, keysOf(q)), byKey(got)); diff != "" {
			t.Fatalf("by %s from %s to %s in %s: %s", q.Group, q.From, q.To, q.Zone, diff)
		}
	}
	got, err := s.SpendByDayAndModel(t.Context(), q)
	check(t, err)
	for i := range got {
		got[i].Key, got[i].Label = got[i].Key+" "+got[i].Label, ""
	}
	q.Group = agent.SpendByModel
	want := spendOf(lines, q, func(l agent.Step) []string {
		return []string{l.EndedAt.In(q.Zone).Format(time.DateOnly) + " " + l.Model}
	})
	if diff := gocmp.Diff(want, byKey(got)); diff != "" {
		t.Fatalf("by day and model from %s to %s in %s: %s", q.From, q.To, q.Zone, diff)
	}
	total, err := s.SpendTotal(t.Context(), q)
	check(t, err)
	q.Group = agent.SpendByDay
	var sum agent.SpendRow
	for _, row := range spendOf(lines, q, keysOf(q)) {
		sum.Add(row)
	}
	if sum != total {
		t.Fatalf("in total %+v, want %+v", total, sum)
	}
}

func byKey(rows []agent.SpendRow) []agent.SpendRow {
	slices.SortFunc(rows, func(a, b agent.SpendRow) int { return cmp.Compare(a.Key, b.Key) })
	return rows
}

// keysOf says to which rows of a group a line belongs.
func keysOf(q agent.SpendQuery) func(agent.Step) []string {
	return func(l agent.Step) []string {
		switch q.Group {
		case agent.SpendByDay:
			return []string{l.EndedAt.In(q.Zone).Format(time.DateOnly)}
		case agent.SpendByUser:
			return []string{agent.RemovedUser(l.UserID)} // who have no accounts here
		case agent.SpendByModel:
			return []string{l.Model}
		case agent.SpendByConversation:
			return []string{l.ConversationID}
		default:
			if len(l.Tools) == 0 {
				return []string{""}
			}
			var tools []string
			for _, use := range l.Tools {
				tools = append(tools, use.Name)
			}
			return tools
		}
	}
}

// spendOf adds up lines, in the order of the keys.
func spendOf(lines []agent.Step, q agent.SpendQuery, keys func(agent.Step) []string) []agent.SpendRow {
	sums, runs := map[string]*agent.SpendRow{}, map[string]bool{}
	for _, l := range lines {
		starts := !runs[l.RunID]
		if q.Group == agent.SpendByModel {
			starts = !runs[l.RunID+l.Model]
		}
		runs[l.RunID], runs[l.RunID+l.Model] = true, true
		if l.EndedAt.Before(q.From) || !l.EndedAt.Before(q.To) || q.UserID != "" && q.UserID != l.UserID {
			continue
		}
		for _, key := range keys(l) {
			row := agent.SpendRow{
				Key: key, Runs: count(starts), Tokens: l.Usage.Tokens,
				CostMicros: l.CostMicros, Lines: 1, Unpriced: count(l.Unpriced), Estimated: count(l.Usage.Estimated),
			}
			if q.Group == agent.SpendByTool {
				share := l.Shares()[key]
				row.Tokens, row.CostMicros, row.Runs = share.Tokens, share.CostMicros, 0
				for _, use := range l.Tools {
					row.Runs += count(use.Name == key && use.First)
				}
			}
			if sums[key] == nil {
				sums[key] = &agent.SpendRow{Key: key}
			}
			sums[key].Add(row)
		}
	}
	var rows []agent.SpendRow
	for _, row := range sums {
		rows = append(rows, *row)
	}
	if rows == nil {
		rows = []agent.SpendRow{}
	}
	return byKey(rows)
}

func count(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// TestCheckSumsFindsWhatDoesNotAddUp: a sum that was changed, lost or invented.
func TestCheckSumsFindsWhatDoesNotAddUp(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		`UPDATE spend_sums SET cost_micros = cost_micros + 1 WHERE dim = 'hour'`,
		`UPDATE spend_sums SET runs = 0 WHERE dim = 'user'`,
		`UPDATE spend_sums SET reasoning_tokens = reasoning_tokens + 1 WHERE dim = 'tool'`,
		`DELETE FROM spend_sums WHERE dim = 'tool'`,
		`DELETE FROM spend_sums WHERE dim = 'total'`,
		`UPDATE spend_sums SET slot = slot + 99999 WHERE dim = 'tool'`,
		`INSERT INTO spend_sums SELECT 'model', slot + 999999, key, lines, runs, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
			cost_micros, unpriced, estimated FROM spend_sums WHERE dim = 'model'`,
	} {
		t.Run(change[:40], func(t *testing.T) {
			t.Parallel()
			s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
			check(t, s.AddSteps(randomLines(rand.New(rand.NewPCG(1, 2)))))
			check(t, s.CheckSums(t.Context()))
			check(t, s.Exec(change))
			var fault *agent.LedgerFault
			if err := s.CheckSums(t.Context()); !errors.As(err, &fault) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSpendLimitKeepsTheFirst: a limit keeps those that cost most, or took most tokens.
func TestSpendLimitKeepsTheFirst(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "f.db"), agenttest.NewClock(), nil)
	check(t, s.AddSteps(randomLines(rand.New(rand.NewPCG(3, 4)))))
	for _, group := range []agent.SpendGroup{agent.SpendByUser, agent.SpendByModel, agent.SpendByConversation, agent.SpendByTool} {
		for _, byTokens := range []bool{false, true} {
			q := agent.SpendQuery{From: time.UnixMilli(1), To: changes[1].Add(99 * time.Hour), Group: group, ByTokens: byTokens}
			rows, err := s.Spend(t.Context(), q)
			check(t, err)
			sorted := slices.IsSortedFunc(rows, func(a, b agent.SpendRow) int {
				if byTokens {
					return cmp.Compare(b.Total(), a.Total())
				}
				return cmp.Compare(b.CostMicros, a.CostMicros)
			})
			q.Limit = 2
			top, err := s.Spend(t.Context(), q)
			check(t, err)
			if diff := gocmp.Diff(rows[:2], top); diff != "" || !sorted {
				t.Errorf("by %s, by tokens %v: in order %v: %s", group, byTokens, sorted, diff)
			}
		}
	}
}
