package store

import (
	"cmp"
	"context"

	"fusebox/agent"
	"fusebox/store/passages"
	"fusebox/store/sqlite"
)

// Documents keeps the documents of people and what was read of them. Every method with a
// user's id is about documents that are open to that person: others are NotFound. Who may not
// change what is open to them gets Forbidden.
type Documents struct {
	*core
	index *passages.Index
}

// documentColumns leave out the sections, which may be many: they are read with the text.
const documentColumns = `d.id, d.user_id, d.collection_id, v.added_by, o.level, d.name, v.version, d.answers, d.created_at, v.state, v.bytes, v.hash, v.file, v.duplicate_of, v.tries, v.encoding, v.separator, v.reading, v.added_at`

// newest joins documents with their newest versions.
const newest = ` JOIN document_versions v ON v.document_id = d.id AND v.version = d.version `

// sameFile finds what else of a collection has a file with a hash.
const sameFile = `FROM document_versions v JOIN documents d ON d.id = v.document_id AND d.version = v.version
	WHERE v.hash = $1 AND +d.collection_id = $2 AND v.duplicate_of = '' AND v.state <> 'failed' ORDER BY d.id LIMIT 1`

func scanDocument(r sqlite.Scanner) (d agent.Document, err error) {
	var reading string
	err = r.Scan(&d.ID, &d.UserID, &d.CollectionID, &d.AddedBy, &d.Right, &d.Name, &d.Version, &d.Answers,
		sqlite.Time(&d.CreatedAt), &d.State, &d.Bytes, &d.Hash, &d.File, &d.DuplicateOf, &d.Tries, &d.Choice.Encoding,
		&d.Choice.Separator, &reading, sqlite.Time(&d.AddedAt))
	err = cmp.Or(err, fromJSON(reading, &d.Reading))
	return d, err
}

// AddDocument adds a document with its first version, which is to be read, to a collection, the
// own documents of who adds it for "". Where the same file is in it already, it waits for a
// decision instead: it has failed with ProblemDuplicate, and DuplicateOf names the other.
// Conflict where the owner has as many as they may.
func (s *Documents) AddDocument(ctx context.Context, d agent.Document) (agent.Document, error) {
	if err := s.db.Room(); err != nil {
		return d, err
	}
	d.CollectionID = cmp.Or(d.CollectionID, d.AddedBy)
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := t.Each(func(r sqlite.Scanner) error { return r.Scan(&d.DuplicateOf) }, `SELECT d.id `+sameFile, d.Hash, d.CollectionID); err != nil {
			return err
		}
		if d.DuplicateOf != "" {
			d.State, d.Reading.Problem = agent.DocumentFailed, agent.ProblemDuplicate
		}
		return addDocument(t, &d)
	})
	return d, err
}

func addDocument(t *sqlite.Tx, d *agent.Document) (err error) {
	d.Version = 1
	if d.UserID, d.Right, err = collectionFor(t, d.AddedBy, d.CollectionID); err != nil {
		return err
	}
	if err := roomForOne(t, *d); err != nil {
		return err
	}
	if err := roomFor(t, *d); err != nil {
		return err
	}
	if _, err := t.Exec(`INSERT INTO documents (id, user_id, collection_id, name, version, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		d.ID, d.UserID, d.CollectionID, d.Name, d.Version, sqlite.MS(d.CreatedAt)); err != nil {
		return err
	}
	return addVersion(t, *d)
}

// AddDocumentVersion adds a file that takes the place of a document's newest once it has been read.
func (s *Documents) AddDocumentVersion(ctx context.Context, d agent.Document) (agent.Document, error) {
	if err := s.db.Room(); err != nil {
		return d, err
	}
	err := s.db.Write(ctx, true, func(t *sqlite.Tx) error { return addNextVersion(t, &d) })
	if err != nil {
		return d, err
	}
	return s.Document(ctx, d.AddedBy, d.ID, d.Version)
}

func addNextVersion(t *sqlite.Tx, d *agent.Document) error {
	if err := mayChange(t, d.AddedBy, d.ID, agent.RightWrite); err != nil {
		return err
	}
	if err := t.Row(`UPDATE documents SET version = version + 1 WHERE id = $1 RETURNING version, user_id`, d.ID).Scan(&d.Version, &d.UserID); err != nil {
		return err
	}
	if d.Version > agent.MaxDocumentVersions {
		return agent.Errorf(agent.Conflict, "This document has %d versions, as many as there may be. Delete it, and add the file again.", d.Version-1)
	}
	if err := roomFor(t, *d); err != nil {
		return err
	}
	return addVersion(t, *d)
}

// roomForOne answers Conflict where the owner of a document has as many as they may.
func roomForOne(t *sqlite.Tx, d agent.Document) error {
	var all int
	err := t.Row(`SELECT COUNT(*) FROM documents WHERE user_id = $1`, d.UserID).Scan(&all)
	switch {
	case err != nil || all < agent.MaxDocuments:
		return err
	case d.Right < agent.RightOwn:
		return agent.Errorf(agent.Conflict, "The owner of this collection has as many documents as a person may have. Ask them to delete some.")
	}
	return agent.Errorf(agent.Conflict, "You have %d documents, as many as a person may have. Delete some first.", all)
}

// roomFor answers Conflict where the files of the owner of a document would take too much.
func roomFor(t *sqlite.Tx, d agent.Document) error {
	var used int64
	err := t.Row(`SELECT COALESCE(SUM(v.bytes), 0) FROM documents d JOIN document_versions v ON v.document_id = d.id WHERE d.user_id = $1`, d.UserID).Scan(&used)
	switch {
	case err != nil || used+d.Bytes <= agent.MaxDocumentSpace:
		return err
	case d.Right < agent.RightOwn:
		return agent.Errorf(agent.Conflict, "The documents of this collection's owner take as much room as a person may have. Ask them to delete some.")
	}
	return agent.Errorf(agent.Conflict, "Your documents take %d GB, as much as a person may have. Delete some first.", agent.MaxDocumentSpace>>30)
}

func addVersion(t *sqlite.Tx, d agent.Document) error {
	reading, err := toJSON(d.Reading)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO document_versions (document_id, version, bytes, hash, file, duplicate_of, state, reading, added_at, added_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		d.ID, d.Version, d.Bytes, d.Hash, d.File, d.DuplicateOf, d.State, reading, sqlite.MS(d.AddedAt), d.AddedBy)
	return err
}

// Document is a version of a document, the newest for 0.
func (s *Documents) Document(ctx context.Context, userID, id string, version int) (agent.Document, error) {
	d, err := scanDocument(s.db.QueryRowContext(ctx, `SELECT `+documentColumns+` FROM documents d
		JOIN document_versions v ON v.document_id = d.id AND v.version = CASE $1 WHEN 0 THEN d.version ELSE $1 END `+openTo+`$2
		WHERE d.id = $3`, version, userID, id))
	return d, noDocument(err)
}

// SameDocument is the person's own document, in no collection, whose newest file has a hash.
func (s *Documents) SameDocument(ctx context.Context, userID, hash string) (agent.Document, error) {
	var id string
	if err := s.db.QueryRowContext(ctx, `SELECT d.id `+sameFile, hash, userID).Scan(&id); err != nil {
		return agent.Document{}, noDocument(err)
	}
	return s.Document(ctx, userID, id, 0)
}

// Documents lists documents, the newest first.
func (s *Documents) Documents(ctx context.Context, f agent.DocumentFilter, p agent.Page) ([]agent.Document, string, error) {
	from, err := cursorOf(p, newestFirst)
	if err != nil {
		return nil, "", err
	}
	w := where{}
	if err := w.chosen(f.UserID, f.In); err != nil {
		return nil, "", err
	}
	w.And(`d.id < `, from.id, ``)
	if f.Name != "" {
		w.And(`LOWER(d.name) LIKE `, containing(agent.Clip(f.Name, maxSearch)), ` ESCAPE '!'`)
	}
	limit := limitOf(p)
	// The ids first: what is read of the others is the index alone.
	query := `SELECT ` + documentColumns + ` FROM (SELECT d.id AS id, o.level AS level ` + chosenDocuments + w.String() +
		w.Param(` ORDER BY d.id DESC LIMIT `, limit+1) + `) AS o JOIN documents d ON d.id = o.id ` + newest + ` ORDER BY d.id DESC`
	found, err := sqlite.List(ctx, s.db, scanDocument, query, w.Args...)
	return page(found, err, limit, func(d agent.Document) cursor { return cursor{id: d.ID} })
}

// DocumentVersions are all versions of a document, the newest first.
func (s *Documents) DocumentVersions(ctx context.Context, userID, id string) ([]agent.Document, error) {
	return sqlite.List(ctx, s.db, scanDocument, `SELECT `+documentColumns+` FROM documents d JOIN document_versions v ON v.document_id = d.id `+openTo+`$1
		WHERE d.id = $2 ORDER BY v.version DESC`, userID, id)
}

// CountDocuments counts documents.
func (s *Documents) CountDocuments(ctx context.Context, userID string, in agent.CollectionChoice) (n agent.DocumentCounts, err error) {
	w := where{}
	if err := w.chosen(userID, in); err != nil {
		return n, err
	}
	err = s.db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(v.state = 'reading'), 0), COALESCE(SUM(d.answers > 0), 0), COALESCE(SUM(v.state = 'failed'), 0) `+
		chosenDocuments+newest+w.String(), w.Args...).
		Scan(&n.All, &n.Reading, &n.Searched, &n.Failed)
	return n, err
}

// RenameDocument gives a document another name, by which its first passage is found from now
// on; Tidy comes to the others.
func (s *Documents) RenameDocument(ctx context.Context, userID, id, name string) error {
	return s.index.Reindex(ctx, id, 1, func(t *sqlite.Tx) error {
		if err := mayChange(t, userID, id, agent.RightWrite); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE documents SET name = $1, renamed = TRUE WHERE id = $2`, name, id)
		return err
	})
}

// ReadDocumentAgain has the newest version be read once more: one that failed, or that
// waits for a decision because the person has the same file already; with an encoding or a separator,
// which are kept, also one that has been read: it is not found until it is. Conflict for others.
func (s *Documents) ReadDocumentAgain(ctx context.Context, userID, id string, encoding, separator *string) error {
	chosen := encoding != nil || separator != nil
	return s.db.Write(ctx, true, func(t *sqlite.Tx) error {
		if err := mayChange(t, userID, id, agent.RightWrite); err != nil {
			return err
		}
		var version, answers int
		if err := t.Row(`SELECT version, answers FROM documents WHERE id = $1`, id).Scan(&version, &answers); err != nil {
			return err
		}
		err := t.ExecOr(agent.Errorf(agent.Conflict, "This document has been read, or waits to be."),
			`UPDATE document_versions SET state = 'reading', duplicate_of = '', tries = 0, reading = '{}', text = '', sections = ''
			WHERE document_id = $1 AND version = $2 AND (state = 'failed' OR state = 'ready' AND $3)`, id, version, chosen)
		if err != nil || !chosen {
			return err
		}
		if _, err := t.Exec(`UPDATE document_versions SET encoding = COALESCE($1, encoding), separator = COALESCE($2, separator) WHERE document_id = $3 AND version = $4`,
			encoding, separator, id, version); err != nil || answers < version {
			return err
		}
		if _, err := t.Exec(`UPDATE documents SET answers = 0 WHERE id = $1`, id); err != nil {
			return err
		}
		return passages.RemoveVersion(t, id, version)
	})
}

// movedAtOnce is how many passages of a document are found where it was moved to at once.
const movedAtOnce = 16

// MoveDocument moves a document of a person to a collection in which they may write, their own
// documents for their own id. It belongs to the owner of that from then on, and its first
// passages are found there at once; Tidy comes to the others, which are not found until then.
func (s *Documents) MoveDocument(ctx context.Context, userID, id, collectionID string) error {
	return s.index.Reindex(ctx, id, movedAtOnce, func(t *sqlite.Tx) error {
		if err := mayChange(t, userID, id, agent.RightOwn); err != nil {
			return err
		}
		d := agent.Document{ID: id}
		var err error
		if d.UserID, d.Right, err = collectionFor(t, userID, collectionID); err != nil {
			return err
		}
		var owner string
		if err := t.Row(`SELECT d.user_id, SUM(v.bytes) FROM documents d JOIN document_versions v ON v.document_id = d.id WHERE d.id = $1`, id).Scan(&owner, &d.Bytes); err != nil {
			return err
		}
		if owner != d.UserID {
			if err := roomForOne(t, d); err != nil {
				return err
			}
			if err := roomFor(t, d); err != nil {
				return err
			}
		}
		_, err = t.Exec(`UPDATE documents SET user_id = $1, collection_id = $2, renamed = TRUE WHERE id = $3`, d.UserID, collectionID, id)
		return err
	})
}
