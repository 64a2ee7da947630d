package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"

	"fusebox/agent"
	"fusebox/migrations"
	"fusebox/store/sqlite"
)

// Ready checks that the database is still this process's own, and answers with this program's schema.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.FilesIntact(); err != nil {
		return err
	}
	var have int64
	err := s.db.QueryRowContext(ctx, `SELECT MAX(version_id) FROM goose_db_version`).Scan(&have)
	if err != nil {
		return agent.Wrap(agent.Unavailable, err, "The database does not answer.")
	}
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return err
	}
	newest, err := goose.NumericComponent(files[len(files)-1])
	if err != nil || have != newest {
		return agent.Wrap(agent.Unavailable, err, "The database has another schema version than this program.")
	}
	return nil
}

// FilesIntact checks that the database's files are still this process's own.
func (s *Store) FilesIntact() error { return s.db.FilesIntact() }

// OwnsFile reports whether a file is one that the database has open. Nothing else in this
// process may open it.
func (s *Store) OwnsFile(info fs.FileInfo) bool { return s.db.OwnsFile(info) }

// Room is Full where the disk with the database is.
func (s *Store) Room() error { return s.db.Room() }

// Erase takes what was deleted out of the files. done is false where readers were in the
// way: it is to be called again soon.
func (s *Store) Erase(ctx context.Context) (done bool, err error) { return s.db.Erase(ctx) }

// ReturnSpace gives some of the pages that were freed back to the file system, and
// returns how many; 0 where there is nothing left to do.
func (s *Store) ReturnSpace(ctx context.Context) (pages int64, err error) {
	return s.db.ReturnSpace(ctx)
}

// Writable writes the page that holds the settings of the file, the way all changes are
// written. Unavailable where that fails or takes longer than ctx allows: the disk may be
// full, the folder gone, or another program may hold the database.
func (s *Store) Writable(ctx context.Context) error {
	if err := s.Room(); err != nil {
		return agent.Wrap(agent.Unavailable, err, "%s", agent.MessageOf(err))
	}
	done := make(chan error, 1)
	go func() {
		done <- s.db.Write(ctx, false, func(t *sqlite.Tx) error {
			var mark int32
			if err := t.Row(`PRAGMA user_version`).Scan(&mark); err != nil {
				return err
			}
			_, err := t.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, mark^1))
			return err
		})
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return agent.Wrap(agent.Unavailable, err, "The database cannot be written: the disk may be full, or the file may be damaged or locked.")
	}
	return nil
}

// maxFaults is how many faults of a damaged database are named.
const maxFaults = 10

// QuickCheck reads the whole database and returns what is damaged in it, nothing for a
// sound one. Large ones take a while; reading and writing go on meanwhile. A damaged index
// of passages is no damage: it is rebuilt.
func (s *Store) QuickCheck(ctx context.Context) (faults []string, err error) {
	faults, err = sqlite.List(ctx, s.db, sqlite.ScanString, fmt.Sprintf(`PRAGMA quick_check(%d)`, maxFaults))
	ofIndex := func(fault string) bool { return strings.Contains(fault, "FTS4 table main.passage_index") }
	if i := slices.IndexFunc(faults, ofIndex); err == nil && i >= 0 {
		err = s.RebuildIndex(ctx, errors.New(faults[i]))
	}
	return slices.DeleteFunc(faults, func(fault string) bool { return fault == "ok" || ofIndex(fault) }), err
}
