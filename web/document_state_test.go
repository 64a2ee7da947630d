package web_test

import (
	"database/sql"
	"maps"
	"net/http"
	"slices"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/web"
)

// TestDocumentsStandAsTheyAre: people see what is kept, what failed and what helps, and what waits; the
// documents of others are in none of their numbers.
func TestDocumentsStandAsTheyAre(t *testing.T) {
	t.Parallel()
	s, ana := newReadingSite(t)
	drawing := documentIn(t, ana.send("/api/v1/documents", "plan.dwg", "drawing of a pump"), http.StatusCreated)
	broken := documentIn(t, ana.send("/api/v1/documents", "b.pdf", "broken"), http.StatusCreated)
	note := documentIn(t, ana.send("/api/v1/documents", "note.txt", "Pump 7 leaks."), http.StatusCreated)
	ana.awaitDocument(drawing.ID, "failed")
	ana.awaitDocument(broken.ID, "failed")
	ana.awaitDocument(note.ID, "ready")
	const api, page = "/api/v1/documents/state", "/documents/state"
	ana.get(api).check(t, want{status: 200, has: []string{
		`"documents":3`, `"searched":1`, `"versions":3`, `"bytes":36`, `"limits":{"documents":20000,"bytes":21474836480}`, `"failed":2`,
		`"problems":[{"problem":"broken","documents":1},{"problem":"no_reader","documents":1}]`, `"waiting":0`, `"reading":[]`,
	}, hasNot: []string{"rebuild", "embedding"}})
	ana.get(page).check(t, want{status: 200, has: []string{"3 of 20000 documents", "2 have no text", `href="/documents?problem=broken"`, "Try again with 1 document", "Nothing waits to be read."}})
	ana.get("/documents").check(t, want{status: 200, has: []string{"2 have no text", `href="/documents/state"`}})
	ana.get("/documents?problem=broken").check(t, want{status: 200, has: []string{broken.ID}, hasNot: []string{drawing.ID, "/documents/state/read"}})
	ana.get("/documents?problem=no_reader").check(t, want{status: 200, has: []string{drawing.ID, "/documents/state/read"}, hasNot: []string{broken.ID}})
	for _, problem := range agent.DocumentProblems() {
		has := map[agent.DocumentProblem]string{agent.ProblemBroken: broken.ID, agent.ProblemNoReader: drawing.ID}[problem]
		ana.get("/api/v1/documents?problem="+string(problem)).check(t, want{status: 200, has: []string{has}, hasNot: []string{note.ID}})
	}
	ana.get("/api/v1/documents?problem=none").check(t, want{status: 400, has: []string{`"field":"problem"`}})
	ana.get("/api/v1/documents?problem=lost&search=a").check(t, want{status: 400, has: []string{`"field":"problem"`}})
	ana.post("/documents/state/read", nil).check(t, want{status: 303, location: page})
	ana.get(page).check(t, want{status: 200, has: []string{"1 document will be read again."}})
	ana.awaitDocument(drawing.ID, "failed")
	endless := documentIn(t, ana.send("/api/v1/documents", "<i>.txt", "endless"), http.StatusCreated)
	// The one before may still be there for a moment after it has failed.
	agenttest.Eventually(t, "the reading of an endless file", func() bool { return slices.Equal(slices.Collect(maps.Keys(s.queue.Reading())), []string{endless.ID}) })
	ana.get(api).check(t, want{status: 200, has: []string{`"waiting":1`, `"reading":[{"documentId":"` + endless.ID + `","name":"\u003ci\u003e.txt","since":"20`}})
	ana.get(page).check(t, want{status: 200, has: []string{"&lt;i&gt;.txt", "is being read since"}})
	ben := s.as(s.user("ben@example.org", agent.RoleUser))
	ben.get(api).check(t, want{status: 200, has: []string{`"documents":0`, `"failed":0`, `"problems":[]`, `"waiting":0`, `"reading":[]`}})
	ben.get("/api/v1/documents?problem=broken").check(t, want{status: 200, hasNot: []string{broken.ID}})
}

// TestDocumentsThatWaitAreCounted: who waits learns how many files of others come first, how far the index
// and the embedding are, and what that has taken.
func TestDocumentsThatWaitAreCounted(t *testing.T) {
	t.Parallel()
	finder := &halfEmbedded{status: agent.VectorStatus{Model: "embed<1>", VectorCounts: agent.VectorCounts{Passages: 10, Embedded: 4}, OverBudget: true}}
	s := newSite(t, func(o *web.Options) { o.Finder = finder })
	first := s.as(s.user("first@example.org", agent.RoleAdmin))
	user := s.user("ana@example.org", agent.RoleUser)
	ana := s.as(user)
	documentIn(t, first.send("/api/v1/documents", "a.txt", "a"), http.StatusCreated)
	s.clock.Advance(1e9)
	documentIn(t, ana.send("/api/v1/documents", "b.txt", "b"), http.StatusCreated)
	s.ok(s.db.KeepVectors(t.Context(), 1, nil, agent.Step{UserID: user.ID, Kind: agent.StepEmbedding, Model: "embed<1>", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 1200}}, CostMicros: 34, EndedAt: s.clock.Now()}))
	db, err := sql.Open("sqlite3", "file:"+s.file+"?_busy_timeout=10000")
	s.ok(err)
	t.Cleanup(func() { s.ok(db.Close()) })
	_, err = db.ExecContext(t.Context(), `INSERT INTO passage_rebuild (id) VALUES (1)`)
	s.ok(err)
	ana.get("/api/v1/documents/state").check(t, want{status: 200, has: []string{
		`"waiting":1`, `"ahead":1`, `"rebuild":{"done":0,"passages":0}`,
		`"embedding":{"model":"embed\u003c1\u003e","passages":10,"embedded":4,"stopped":false,"overBudget":true,"thisMonth":{"tokens":1200,"costMicros":34},"ever":{"tokens":1200,"costMicros":34}}`,
	}})
	ana.get("/documents/state").check(t, want{status: 200, has: []string{"1 file waits to be read.", "At most 1 file of somebody else comes first.", "The index is being rebuilt", "embed&lt;1&gt;", "Embedding waits", "This month: 1200 tokens"}})
}

// TestDocumentUse: admins see what documents take of whom, not what they are, and delete those of a person, which is logged.
func TestDocumentUse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin := s.as(s.user("first@example.org", agent.RoleAdmin))
	user := s.user("ana@example.org", agent.RoleUser)
	ana := s.as(user)
	s.ok(s.db.SetName(t.Context(), user.ID, "Ana"))
	for _, name := range []string{"wages.txt", "taxes.txt"} {
		documentIn(t, ana.send("/api/v1/documents", name, name), http.StatusCreated)
	}
	documentIn(t, admin.send("/api/v1/documents", "mine.txt", "x"), http.StatusCreated)
	const api, page = "/api/v1/documents/people", "/admin/documents"
	admin.get(api+"?search=ANA&limit=1").check(t, want{status: 200, has: []string{`"userId":"` + user.ID + `"`, `"name":"Ana"`, `"documents":2`, `"bytes":18`, `"all":{"documents":3`, `"lastAddedAt"`}, hasNot: []string{"wages"}})
	for _, by := range agent.DocumentUseOrders() {
		admin.get(api+"?sort="+string(by)).check(t, want{status: 200, has: []string{user.ID}})
		admin.get(page+"?sort="+string(by)).check(t, want{status: 200, has: []string{"ana@example.org"}, hasNot: []string{"wages"}})
	}
	admin.get(api+"?sort=size").check(t, want{status: 400, has: []string{`"field":"sort"`}})
	admin.get(api+"?limit=1").check(t, want{status: 200, has: []string{`"nextCursor":"1"`, user.ID}})
	admin.get(api+"?limit=1&cursor=1").check(t, want{status: 200, has: []string{"first@example.org"}, hasNot: []string{user.ID, "nextCursor"}})
	admin.get(api+"?cursor=-1").check(t, want{status: 400, has: []string{`"field":"cursor"`}})
	admin.get(page+".csv").check(t, want{status: 200, has: []string{"email,documents", "ana@example.org,2,2,18,"}, hasNot: []string{"wages"}})
	admin.get(page).check(t, want{status: 200, has: []string{"Delete all 2 documents of ana@example.org", "All people"}})
	admin.post("/admin/users/"+user.ID+"/documents/delete", nil).check(t, want{status: 303, location: page})
	ana.get("/api/v1/documents").check(t, want{status: 200, has: []string{`"items":[]`}})
	admin.get("/api/v1/documents").check(t, want{status: 200, has: []string{"mine.txt"}})
	admin.get("/api/v1/audit").check(t, want{status: 200, has: []string{"documents.delete", user.ID}, hasNot: []string{"wages"}})
	documentIn(t, ana.send("/api/v1/documents", "new.txt", "new"), http.StatusCreated)
	admin.call(http.MethodDelete, "/api/v1/users/"+user.ID+"/documents", "").check(t, want{status: 204})
	ana.get("/api/v1/documents").check(t, want{status: 200, has: []string{`"items":[]`}})
	admin.call(http.MethodDelete, "/api/v1/users/none/documents", "").check(t, want{status: 404})
}
