package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Imports keeps what people import, and which documents came from where that way. Methods with a
// user's id are about that person's imports: others' are NotFound.
type Imports struct{ *core }

const importColumns = `id, user_id, collection_id, name, source, file, bytes, fetch, state, problem, tries, report, created_at`

func scanImport(r sqlite.Scanner) (in agent.Import, err error) {
	var report string
	err = r.Scan(&in.ID, &in.UserID, &in.CollectionID, &in.Name, &in.Source, &in.File, &in.Bytes, &in.Fetch, &in.State,
		&in.Problem, &in.Tries, &report, sqlite.Time(&in.CreatedAt))
	err = cmp.Or(err, fromJSON(report, &in.Report))
	return in, err
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
	return t.ExecOr(agent.Errorf(agent.NotFound, "There is no such import."),
		`UPDATE imports SET file = $1, state = $2, problem = $3, tries = $4, report = $5 WHERE id = $6`,
		in.File, in.State, in.Problem, in.Tries, report, in.ID)
}

// sourceOf finds which document a path of an import has become, and with which bytes. One that was
// moved to another collection is none of the import any more.
const sourceOf = `SELECT s.document_id, s.hash FROM document_sources s JOIN documents d ON d.id = s.document_id AND d.collection_id = s.collection_id
	WHERE s.collection_id = $1 AND s.name = $2 AND s.path = $3`

// importedPaths are all paths of imports of a name.
const importedPaths = `SELECT path FROM document_sources WHERE collection_id = $1 AND name = $2 ORDER BY path`

// importedAs says what becomes of a file with a hash, and of which document. Where another document has the same
// bytes, it is that one.
func importedAs(ctx context.Context, from sqlite.Reader, in agent.Import, path, hash string) (as agent.ImportOutcome, documentID string, err error) {
	var had string
	err = from.QueryRowContext(ctx, sourceOf, in.CollectionID, in.Name, path).Scan(&documentID, &had)
	switch {
	case err == nil && had == hash:
		return agent.ImportUnchanged, documentID, nil
	case err == nil:
		return agent.ImportReplaced, documentID, nil
	case !errors.Is(err, sql.ErrNoRows):
		return "", "", err
	}
	err = from.QueryRowContext(ctx, `SELECT d.id `+sameFile, hash, in.CollectionID).Scan(&documentID)
	switch {
	case err == nil:
		return agent.ImportDuplicate, documentID, nil
	case errors.Is(err, sql.ErrNoRows):
		return agent.ImportAdded, "", nil
	}
	return "", "", err
}

// ImportedAs says what would become of a file. Where a document has the same bytes that came from
// another path of an import of the same name, moved is that path.
func (s *Imports) ImportedAs(ctx context.Context, in agent.Import, path, hash string) (as agent.ImportOutcome, moved string, err error) {
	as, document, err := importedAs(ctx, s.db, in, path, hash)
	if err != nil || as != agent.ImportDuplicate {
		return as, "", err
	}
	err = s.db.QueryRowContext(ctx, `SELECT path FROM document_sources WHERE document_id = $1 AND collection_id = $2 AND name = $3 LIMIT 1`, document, in.CollectionID, in.Name).Scan(&moved)
	return as, moved, sqlite.OrNone(err)
}

// MoveSource has the document of one path be that of another.
func (s *Imports) MoveSource(ctx context.Context, in agent.Import, from, to string) error {
	return s.db.Exec(ctx, true, `UPDATE document_sources SET path = $1 WHERE collection_id = $2 AND name = $3 AND path = $4`,
		to, in.CollectionID, in.Name, from)
}

// AddImported makes a file of an import a document, or a new version of the one that its path has become
// before, and notes that in the import's report, all at once. One that changes nothing is noted
// alone: then the document has no version.
func (s *Imports) AddImported(ctx context.Context, d agent.Document, in agent.Import, path string) (agent.Document, agent.Import, error) {
	if err := s.db.Room(); err != nil {
		return d, in, err
	}
	became, noted := d, in
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		became, noted = d, in
		as, document, err := importedAs(ctx, t.Reader(), in, path, d.Hash)
		if err != nil {
			return err
		}
		switch as {
		case agent.ImportAdded:
			err = addDocument(t, &became)
		case agent.ImportReplaced:
			became.ID = document
			err = addNextVersion(t, &became)
		default: // it adds nothing
		}
		if err != nil {
			return err
		}
		if became.Version > 0 {
			if _, err := t.Exec(`INSERT INTO document_sources (collection_id, name, path, document_id, hash) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (collection_id, name, path) DO UPDATE SET document_id = $4, hash = $5`, in.CollectionID, in.Name, path, became.ID, d.Hash); err != nil {
				return err
			}
		}
		noted.Report.Count(as, path)
		return saveImport(t, noted)
	})
	return became, noted, err
}

// ImportedPaths are all paths of imports of the same name that have become documents.
func (s *Imports) ImportedPaths(ctx context.Context, in agent.Import) ([]string, error) {
	return sqlite.List(ctx, s.db, sqlite.ScanString, importedPaths, in.CollectionID, in.Name)
}

// DocumentSource is where a document of the person came from: the name of an import and a path in it, "" where from nowhere.
func (s *Imports) DocumentSource(ctx context.Context, userID, id string) (name, path string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT s.name, s.path FROM document_sources s JOIN documents d ON d.id = s.document_id
		WHERE s.document_id = $1 AND d.user_id = $2 ORDER BY s.name, s.path LIMIT 1`, id, userID).Scan(&name, &path)
	return name, path, sqlite.OrNone(err)
}
