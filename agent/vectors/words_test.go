package vectors_test

import (
	"slices"
	"testing"

	"fusebox/agent"
	"fusebox/agent/demo"
	"fusebox/store/sqlite"
)

// tamper changes the database past everything.
func (w *world) tamper(statement string) {
	w.Helper()
	db, err := sqlite.Connect(w.path, "", 1)
	w.ok(err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(w.Context(), statement)
	w.ok(err)
}

// tidy does all that is left to do with the index of words.
func (w *world) tidy() {
	w.Helper()
	for more := true; more; {
		var err error
		more, err = w.db.Tidy(w.Context())
		w.ok(err)
	}
}

// TestDamagedIndexIsTold: that vectors answer hides no damage of the index of words. Searches say
// that it is being rebuilt, and no question is paid for meanwhile.
func TestDamagedIndexIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	w.tamper(`DELETE FROM passage_index_segdir`)
	before := len(w.calls())
	for range 2 {
		if f, err := x.Find(t.Context(), agent.Search{UserID: "ana", In: agent.Everything(), Query: "马铃薯种植", Limit: 3}); agent.CodeOf(err) != agent.Unavailable || len(f.Passages) > 0 {
			t.Errorf("found %v, %v", f, err)
		}
	}
	if n := len(w.calls()) - before; n != 1 { // the first one found the damage
		t.Errorf("%d calls", n)
	}
	w.tidy()
	if got, wordsOnly := w.find(x, "ana", "马铃薯种植"); !slices.Equal(got, []string{"beds.md"}) || wordsOnly {
		t.Errorf("found %v, words only: %t", got, wordsOnly)
	}
}

// TestRenamedIsFoundByMeaning: what was embedded under an earlier name is found, under the new one,
// and is not embedded again.
func TestRenamedIsFoundByMeaning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.library()
	x, _ := w.index(demo.EmbeddingModel)
	w.await(x, "", "all embedded", done)
	w.ok(w.db.RenameDocument(t.Context(), "ana", "beds.md", "garden.md"))
	for _, when := range []string{"at once", "once it is indexed anew"} {
		if got, _ := w.find(x, "ana", "马铃薯种植"); !slices.Equal(got, []string{"garden.md"}) {
			t.Errorf("%s: found %v", when, got)
		}
		w.tidy()
	}
	if s, err := x.Status(t.Context(), "ana"); err != nil || !done(s) {
		t.Errorf("%+v, %v", s, err)
	}
}
