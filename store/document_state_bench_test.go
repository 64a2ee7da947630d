package store_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// BenchmarkDocumentState reads how the documents of one of 100 people stand, who has 20,000 with two versions
// each while the others have 200, and what the documents of all take.
func BenchmarkDocumentState(b *testing.B) {
	path := filepath.Join(b.TempDir(), "f.db")
	s := open(b, path, agenttest.NewClock(), nil)
	db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=10000")
	check(b, err)
	b.Cleanup(func() { check(b, db.Close()) })
	for i := range 100 {
		user, documents := string(rune('a'+i/10))+string(rune('a'+i%10)), 200
		if i == 0 {
			documents = agent.MaxDocuments
		}
		check(b, s.CreateUser(b.Context(), agent.User{ID: user, Email: user + "@example.org", Role: agent.RoleUser}, "h"))
		_, err := db.ExecContext(b.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO documents (id, user_id, collection_id, name, version, answers, created_at) SELECT $2 || i, $2, $2, 'report ' || i, 2, 1, i FROM n`, documents, user)
		check(b, err)
	}
	_, err = db.ExecContext(b.Context(), `INSERT INTO document_versions (document_id, version, bytes, hash, file, state, reading, text, added_at)
		SELECT d.id, n.i, 70000, d.id || n.i, d.id || n.i, CASE WHEN d.created_at % 50 = 0 THEN 'failed' ELSE 'ready' END,
			CASE WHEN d.created_at % 50 = 0 THEN '{"problem":"scan"}' ELSE '{}' END, HEX(ZEROBLOB(1000)), d.created_at FROM documents d, (SELECT 1 AS i UNION SELECT 2) AS n`)
	check(b, err)
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			if st, err := s.DocumentsState(b.Context(), "aa", nil); err != nil || st.Versions != 2*agent.MaxDocuments || st.Failed != agent.MaxDocuments/50 {
				b.Fatal(st, err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if people, err := s.DocumentUse(b.Context()); err != nil || len(people) != 100 {
				b.Fatal(people, err)
			}
		}
	})
}
