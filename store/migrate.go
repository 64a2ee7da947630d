package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"fusebox/migrations"
)

func provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
}

// migrate brings the schema to this program's version.
func migrate(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the database's version: %w", err)
	}
	if newest := newest(p); have > newest {
		return fmt.Errorf("the database has schema version %d, this program knows %d: start the newer program, or restore a backup", have, newest)
	}
	for range migrateTries {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		// Another process may have been faster with the same step; each step
		// is one transaction, so what it left is whole.
		now, versionErr := p.GetDBVersion(ctx)
		if versionErr != nil || now == have {
			break
		}
		have = now
	}
	return fmt.Errorf("migrate the database: %w", err)
}

// migrateTries bounds how often a step lost to another process is checked again.
const migrateTries = 10

func newest(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}
