package vectors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/store"
)

// TestEmbeddingIsPaid: each call is a line of the bill of the person whose passages it is of, and
// the ledger adds up; a budget that is used up ends it for that person alone, and says so.
func TestEmbeddingIsPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok(w.db.AddBudget(t.Context(), agent.Viewer{Email: "ana@example.org"}, agent.Budget{ID: "b", Who: agent.WhoUser, Subject: "ana", Span: agent.SpanMonth, LimitTokens: 700, AtLimit: agent.LimitStop}))
	for i := range 40 {
		w.add("ana", fmt.Sprint("a", i), strings.Repeat(fmt.Sprintf("Report %d about the pumps of the hall. ", i), 3)+"\n")
	}
	w.add("ben", "lease", "The lease of the depot ends in May.\n")
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "ben", "ben's are embedded", done)
	w.await(x, "ana", "ana's budget is used up", func(s agent.VectorStatus) bool { return s.OverBudget && !done(s) })
	if s, err := x.Status(t.Context(), "ben"); err != nil || s.OverBudget || s.Problem != "" {
		t.Errorf("ben: %+v, %v", s, err)
	}
	if s, err := x.Status(t.Context(), ""); err != nil || !s.OverBudget || s.Tokens == 0 || s.CostMicros == 0 || !s.Priced {
		t.Errorf("all: %+v, %v", s, err)
	}
	if got, _ := w.find(x, "ben", "warehouse contract"); len(got) != 1 {
		t.Errorf("ben finds %v", got)
	}
	rows, err := w.db.Spend(t.Context(), agent.SpendQuery{To: w.clock.Now().Add(time.Hour), Group: agent.SpendByUser})
	w.ok(err)
	for _, r := range rows {
		if r.Key == "ben@example.org" && (r.InputTokens == 0 || r.CostMicros != r.InputTokens || r.Lines < 2 || r.Runs != 0) {
			t.Errorf("spent: %+v", r)
		}
	}
	if len(rows) == 0 {
		t.Error("nothing was spent")
	}
	w.ok(w.db.CheckSums(t.Context()))
	report, err := store.CheckLedger(t.Context(), w.path, time.UTC)
	if err != nil || report.Calls < 3 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestAnotherModel: after a change of the model no old vector is compared, and all are made
// again; without a model they are dropped, and nothing is asked.
func TestAnotherModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, stop := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	stop()
	w.answering(always(404, ""))
	x, stop = w.index("another")
	w.await(x, "", "stopped", func(s agent.VectorStatus) bool { return s.Problem != "" && s.Embedded == 0 && s.Model == "another" })
	if n := w.vectors(); n != 0 {
		t.Errorf("%d old vectors are left", n)
	}
	before := len(w.calls())
	if got, wordsOnly := w.find(x, "ana", "pump 7"); len(got) != 1 || wordsOnly || len(w.calls()) != before {
		t.Errorf("found %v, words only: %t, %d calls", got, wordsOnly, len(w.calls())-before)
	}
	stop()
	w.answering(nil)
	x, stop = w.index(demo.EmbeddingModel)
	w.await(x, "", "embedded again", done)
	stop()
	before = len(w.calls())
	x, _ = w.index("")
	w.await(x, "", "dropped", func(agent.VectorStatus) bool { return w.vectors() == 0 })
	if got, _ := w.find(x, "ana", "pump 7"); len(got) != 1 || len(w.calls()) != before {
		t.Errorf("found %v, %d calls", got, len(w.calls())-before)
	}
}

// TestOtherLengths: a model that changes behind its name is named, and nothing is mixed.
func TestOtherLengths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	w.answering(vectorsOf(func(i int) any { return []int{i, 1, 7} }, func(n int) int { return n }))
	w.add("ana", "late", "A late page about pumps.\n")
	x.Wake()
	w.await(x, "ana", "stopped", func(s agent.VectorStatus) bool { return strings.Contains(s.Problem, "another length") })
}

// TestVectorsGo: the vectors of what is deleted or replaced go with it, and with their person.
func TestVectorsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	pump := w.vectorOf("pump.txt")
	if w.bytesInFiles(pump) == 0 {
		t.Error("the vector is not in the files")
	}
	w.ok(w.db.DeleteDocument(t.Context(), "ana", "pump.txt"))
	if got, _ := w.find(x, "ana", "水泵断路器"); len(got) > 0 {
		t.Errorf("a deleted document is found: %v", got)
	}
	w.ok(w.db.RemoveUser(t.Context(), "ben", agent.UserData{}))
	w.tidy()
	if erased, err := w.db.Erase(t.Context()); !erased || err != nil {
		t.Errorf("erased: %t, %v", erased, err)
	}
	if n, left := w.vectors(), w.bytesInFiles(pump); n != 2 || left > 0 {
		t.Errorf("%d vectors are left, and the deleted one %d times in the files", n, left)
	}
}
