package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Imports keeps what people import, and which documents came from where that way. Methods with a
// user's id are about that person's imports: others' are NotFound.
type Imports struct{ *core }

const importColumns = `id, user_id, collection_id, name, source, file, bytes, fetch, state, problem, tries, report, created_at`

func scanImport(r sqlite.Scanner) (in agent.Import, err error) {
	var created int64
	var report string
	if err := r.Scan(&in.ID, &in.UserID, &in.CollectionID, &in.Name, &in.Source, &in.File, &in.Bytes, &in.Fetch, &in.State, &in.Problem, &in.Tries, &report, &created); err != nil {
		return in, err
	}
	in.CreatedAt = sqlite.FromMS(created)
	return in, fromJSON(report, &in.Report)
}

func noImport(err error) error { return sqlite.NotFound(err, "There is no such import.") }

// AddImport adds an import that is to be unpacked, and forgets the person's oldest ones. Conflict where too many of theirs wait.
func (s *Imports) AddImport(ctx context.Context, in agent.Import) error {
	if err := s.db.Room(); err != nil {
		return err
	}
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		var waiting int
		if err := t.Row(`SELECT COUNT(*) FROM imports WHERE user_id = $1 AND state = 'importing'`, in.UserID).Scan(&waiting); err != nil {
			return err
		}
		if waiting >= agent.MaxImportsWaiting {
			return agent.Errorf(agent.Conflict, "%d of your imports are not done yet. Wait for one of them.", waiting)
		}
		if _, err := t.Exec(`INSERT INTO imports (`+importColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', 0, '{}', $10)`,
			in.ID, in.UserID, in.CollectionID, in.Name, in.Source, in.File, in.Bytes, in.Fetch, in.State, sqlite.MS(in.CreatedAt)); err != nil {
			return err
		}
		_, err := t.Exec(`DELETE FROM imports WHERE state <> 'importing' AND id IN (SELECT id FROM imports WHERE user_id = $1 ORDER BY id DESC LIMIT -1 OFFSET $2)`, in.UserID, agent.KeptImports)
		return err
	})
}

// Import is one of the person's imports.
func (s *Imports) Import(ctx context.Context, userID, id string) (agent.Import, error) {
	in, err := scanImport(s.db.QueryRowContext(ctx, `SELECT `+importColumns+` FROM imports WHERE id = $1 AND user_id = $2`, id, userID))
	return in, noImport(err)
}

// importsOf are the imports of a person.
const importsOf = `SELECT ` + importColumns + ` FROM imports WHERE user_id = $1 ORDER BY id DESC LIMIT $2`

// Imports are the person's newest, the newest first.
func (s *Imports) Imports(ctx context.Context, userID string) ([]agent.Import, error) {
	return sqlite.List(ctx, s.db, scanImport, importsOf, userID, agent.KeptImports)
}

// nextImport is the one that waits longest, of people other than these.
const nextImport = `SELECT ` + importColumns + ` FROM imports WHERE state = 'importing' AND user_id NOT IN (SELECT value FROM json_each($1)) ORDER BY id LIMIT 1`

// BeginImport takes the import that waits longest, of people other than these, and counts the
// try. NotFound where none waits, Full where there is no room for what would be added.
func (s *Imports) BeginImport(ctx context.Context, except []string) (in agent.Import, err error) {
	if err := s.db.Room(); err != nil {
		return in, err
	}
	busy, err := toJSON(append([]string{}, except...))
	if err != nil {
		return in, err
	}
	err = s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if in, err = scanImport(t.Row(nextImport, busy)); err != nil {
			return noImport(err)
		}
		in.Tries++
		_, err := t.Exec(`UPDATE imports SET tries = $1 WHERE id = $2`, in.Tries, in.ID)
		return err
	})
	return in, err
}

// SaveImport keeps how far an import is. The file of one that has ended is a leftover. NotFound
// where its person was removed.
func (s *Imports) SaveImport(ctx context.Context, in agent.Import) error {
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if in.State != agent.ImportRunning && in.File != "" {
			if _, err := t.Exec(`INSERT INTO document_leftovers (file) SELECT file FROM imports WHERE id = $1 AND file <> ''`, in.ID); err != nil {
				return err
			}
			in.File = ""
		}
		return saveImport(t, in)
	})
}

func saveImport(t *sqlite.Tx, in agent.Import) error {
	report, err := toJSON(in.Report)
	if err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE imports SET file = $1, state = $2, problem = $3, tries = $4, report = $5 WHERE id = $6`,
		in.File, in.State, in.Problem, in.Tries, report, in.ID)
	if err == nil && n == 0 {
		err = agent.Errorf(agent.NotFound, "There is no such import.")
	}
	return err
}
