package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fusebox/agent"
	"fusebox/store/passages"
	"fusebox/store/spend"
	"fusebox/store/sqlite"
)

// documentSums count versions v of documents d, by the index alone.
const documentSums = `COUNT(*) AS versions, COALESCE(SUM(v.version = d.version), 0) AS documents, COALESCE(SUM(v.version = d.version AND v.state = 'failed'), 0) AS failed,
	COALESCE(SUM(v.state = 'reading'), 0) AS waiting, COALESCE(SUM(v.bytes), 0) AS bytes, COALESCE(MAX(v.added_at), 0) AS added`

const ownVersions = ` FROM documents d JOIN document_versions v INDEXED BY document_versions_counted ON v.document_id = d.id `

const (
	stateOfDocuments = `SELECT ` + documentSums + `, COALESCE(SUM(v.version = d.version AND d.answers > 0), 0), COALESCE(MIN(CASE v.state WHEN 'reading' THEN v.added_at END), 0)` +
		ownVersions + `WHERE d.user_id = $1`
	problemsOfDocuments = `SELECT v.problem, COUNT(*) AS n` + ownVersions + `AND v.version = d.version
		WHERE d.user_id = $1 AND v.state = 'failed' GROUP BY v.problem ORDER BY n DESC, v.problem`
	waitingBefore = `SELECT COUNT(*) FROM document_versions WHERE state = 'reading' AND added_at < $1`
	documentUse   = `SELECT COALESCE(s.versions, 0), COALESCE(s.documents, 0), COALESCE(s.failed, 0), COALESCE(s.waiting, 0), COALESCE(s.bytes, 0), COALESCE(s.added, 0),
		u.id, u.email, u.name, (SELECT COALESCE(SUM(passages), 0) FROM passage_scopes WHERE user_id = u.id), COALESCE(e.input_tokens, 0), COALESCE(e.cost_micros, 0)
		FROM users u
		LEFT JOIN spend_sums e ON e.dim = 'embedding_all' AND e.slot = 0 AND e.key = u.id
		LEFT JOIN (SELECT d.user_id, ` + documentSums + ownVersions + `GROUP BY d.user_id) AS s ON s.user_id = u.id ORDER BY u.id`
)

func scanDocumentSums(r sqlite.Scanner, s *agent.DocumentSums) error {
	return r.Scan(&s.Versions, &s.Documents, &s.Failed, &s.Waiting, &s.Bytes, sqlite.Time(&s.LastAdded))
}

// DocumentsState says how the documents of a person stand; busy are those of all people that are
// being read, and since when. What is embedded is left to who knows the model.
func (s *Documents) DocumentsState(ctx context.Context, userID string, busy map[string]time.Time) (st agent.DocumentsState, err error) {
	err = s.db.View(ctx, func(r sqlite.Reader) error {
		var first int64
		err := scanDocumentSums(beside{r.QueryRowContext(ctx, stateOfDocuments, userID), []any{&st.Searched, &first}}, &st.DocumentSums)
		if err == nil && st.Failed > 0 {
			st.Problems, err = sqlite.List(ctx, r, func(r sqlite.Scanner) (p agent.ProblemCount, err error) {
				err = r.Scan(&p.Problem, &p.Documents)
				return p, err
			}, problemsOfDocuments, userID)
		}
		if err == nil && st.Waiting > 0 {
			err = r.QueryRowContext(ctx, waitingBefore, first).Scan(&st.Ahead)
		}
		if err == nil {
			st.Reading, err = beingRead(ctx, r, userID, busy)
		}
		if err == nil {
			err = r.QueryRowContext(ctx, `SELECT COALESCE(SUM(passages), 0) FROM passage_scopes WHERE user_id = $1`, userID).Scan(&st.Passages)
		}
		if err == nil {
			st.Rebuild, err = passages.Rebuilding(ctx, r)
		}
		if err == nil {
			now := s.clock.Now().UTC()
			st.EmbeddedThisMonth, st.EmbeddedEver, err = spend.Embedded(ctx, r, userID, time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC))
		}
		return err
	})
	return st, err
}

// beingRead are the documents of a person among those that are being read. One that has just been
// read is none any more, although its reader is not gone yet.
func beingRead(ctx context.Context, r sqlite.Reader, userID string, busy map[string]time.Time) (own []agent.DocumentRead, err error) {
	for id, since := range busy {
		d := agent.DocumentRead{ID: id, Since: since}
		err := r.QueryRowContext(ctx, `SELECT d.name FROM documents d WHERE d.id = $1 AND d.user_id = $2
			AND EXISTS (SELECT 1 FROM document_versions v WHERE v.document_id = d.id AND v.state = 'reading')`, id, userID).Scan(&d.Name)
		switch {
		case err == nil:
			own = append(own, d)
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
	}
	return own, nil
}

// DocumentUse is what the documents of each person take, the oldest account first.
func (s *Documents) DocumentUse(ctx context.Context) ([]agent.DocumentUse, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (u agent.DocumentUse, err error) {
		err = scanDocumentSums(beside{r, []any{&u.UserID, &u.Email, &u.Name, &u.Passages, &u.Embedded.InputTokens, &u.Embedded.CostMicros}}, &u.DocumentSums)
		return u, err
	}, documentUse)
}

// FailedDocuments lists a person's documents whose newest version has a problem, the newest first.
func (s *Documents) FailedDocuments(ctx context.Context, userID string, problem agent.DocumentProblem, p agent.Page) ([]agent.Document, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	limit := limitOf(p)
	found, err := sqlite.List(ctx, s.db, scanDocument, `SELECT `+documentColumns+` FROM documents d`+newest+openTo+`$1 WHERE d.user_id = $1 AND d.id < $2 AND v.state = 'failed' AND v.problem = $3
		ORDER BY d.id DESC LIMIT $4`, userID, from.id, problem, limit+1)
	return page(found, err, limit, func(d agent.Document) cursor { return cursor{id: d.ID} })
}

// changedAtOnce is how many documents one write has read again.
const changedAtOnce = 256

// ReadFailedAgain has all of a person's documents with a problem be read once more, some in each
// write, and says how many.
func (s *Documents) ReadFailedAgain(ctx context.Context, userID string, problem agent.DocumentProblem) (n int64, err error) {
	ids, err := sqlite.List(ctx, s.db, sqlite.ScanString, `SELECT d.id`+ownVersions+`AND v.version = d.version WHERE d.user_id = $1 AND v.state = 'failed' AND v.problem = $2`, userID, problem)
	for len(ids) > 0 && err == nil {
		some := ids[:min(len(ids), changedAtOnce)]
		ids = ids[len(some):]
		err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
			list, err := toJSON(some)
			if err != nil {
				return err
			}
			changed, err := t.Exec(`UPDATE document_versions SET state = 'reading', tries = 0, reading = '{}' WHERE state = 'failed' AND problem = $1 AND (document_id, version) IN
				(SELECT id, version FROM documents WHERE user_id = $2 AND id IN (SELECT value FROM json_each($3)))`, problem, userID, list)
			n += changed
			return err
		})
	}
	return n, err
}

// BeginReading takes the version that waits longest, and is not among those that are being
// read, and counts the try; those of people of whom none is being read first. NotFound where
// none waits, Full where there is no room for what would be read.
func (s *Documents) BeginReading(ctx context.Context, except []string) (agent.Document, error) {
	var d agent.Document
	if err := s.db.Room(); err != nil {
		return d, err
	}
	busy, err := toJSON(except)
	if err != nil {
		return d, err
	}
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		w := where{}
		w.Also(`v.state = 'reading'`)
		turn := ``
		if len(except) > 0 {
			w.Also(`v.document_id NOT IN (SELECT value FROM json_each(` + w.Param(``, busy) + `))`)
			turn = w.Param(`d.user_id IN (SELECT user_id FROM documents WHERE id IN (SELECT value FROM json_each(`, busy) + `))), `
		}
		d, err = scanDocument(t.Row(`SELECT `+documentColumns+` FROM document_versions v JOIN documents d ON d.id = v.document_id `+openTo+`d.user_id `+w.String()+
			` ORDER BY `+turn+`v.tries, v.added_at, v.document_id, v.version LIMIT 1`, w.Args...))
		if err != nil {
			return noDocument(err)
		}
		d.Tries++
		_, err = t.Exec(`UPDATE document_versions SET tries = $1 WHERE document_id = $2 AND version = $3`, d.Tries, d.ID, d.Version)
		return err
	})
	return d, err
}

// UncountTry takes a try back: the server was stopped, and the file is not to blame.
func (s *Documents) UncountTry(ctx context.Context, d agent.Document) error {
	return s.db.Exec(ctx, true, `UPDATE document_versions SET tries = tries - 1 WHERE document_id = $1 AND version = $2 AND tries > 0`,
		d.ID, d.Version)
}

// FinishReading keeps what was read of a version, and its passages. One with text answers from
// now on, unless a newer one does: the last write says so, and before it nothing of it is found.
// Of the version that did, the text is kept and no longer found. NotFound where the document
// was deleted meanwhile.
func (s *Documents) FinishReading(ctx context.Context, d agent.Document, cut []agent.Passage) error {
	text := d.Reading.Text
	if d.State == agent.DocumentReady {
		if err := s.index.AddPassages(ctx, d, cut); err != nil {
			return err
		}
	}
	sections, err := toJSON(d.Reading.Sections)
	if err != nil {
		return err
	}
	d.Reading.Text, d.Reading.Sections = "", nil
	reading, err := toJSON(d.Reading)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := t.ExecOr(agent.Errorf(agent.NotFound, agent.NoDocument),
			`UPDATE document_versions SET state = $1, reading = $2, text = $3, sections = $4 WHERE document_id = $5 AND version = $6 AND state = 'reading'`,
			d.State, reading, text, sections, d.ID, d.Version); err != nil {
			return err
		}
		answers := 0
		if d.State == agent.DocumentReady {
			answers = d.Version
		}
		if err := t.Row(`UPDATE documents SET answers = MAX(answers, $1), renamed = renamed OR name <> $2 OR collection_id <> $3 WHERE id = $4 RETURNING answers`, answers, d.Name, d.CollectionID, d.ID).Scan(&answers); err != nil {
			return err
		}
		return passages.Remove(t, d.ID, answers)
	})
}
