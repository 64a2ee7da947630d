package store

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// definitions keeps what people define under a name, such as agents: each change makes a new
// version, and none is lost. The names are in the table NOUNs, the versions in NOUN_versions.
type definitions[T interface{ SameAs(T) bool }] struct {
	noun string
	most int
	// created, updated, and removed are the actions in the audit log.
	created, updated, removed string
	// says are the refusals: each names the definition but full, which has how many there are.
	says struct{ none, taken, full, changed, configured string }
	head func(*T) head
}

// head is what all definitions have.
type head struct {
	name      *string
	version   *int
	source    *agent.AgentSource
	updatedBy *string
	updatedAt *time.Time
}

// maxVersions bounds how many versions of a definition are listed.
const maxVersions = 100

const definitionColumns = `v.name, v.version, v.definition, v.source, v.updated_by, v.updated_at`

// newest are the newest versions, also of those that were deleted; a has the names.
func (d definitions[T]) newest(more string) string {
	return `SELECT ` + definitionColumns + more + ` FROM ` + d.noun + `s a JOIN ` + d.noun + `_versions v ON v.name = a.name AND v.version = a.version`
}

// live are the newest versions of those that were not deleted.
func (d definitions[T]) live() string { return d.newest(``) + ` WHERE NOT a.deleted` }

// sorted is live, by name.
func (d definitions[T]) sorted() string { return d.live() + ` ORDER BY a.name` }

// named are the names and versions of sorted.
func (d definitions[T]) named() string {
	return `SELECT a.name, a.version FROM ` + d.noun + `s a WHERE NOT a.deleted ORDER BY a.name`
}

// versions are those of one, deleted or not.
func (d definitions[T]) versions() string {
	return `SELECT ` + definitionColumns + ` FROM ` + d.noun + `_versions v WHERE v.name = $1`
}

func (d definitions[T]) scan(r sqlite.Scanner) (def T, err error) {
	var text string
	var row T // with what has columns of its own
	from, to := d.head(&row), d.head(&def)
	if err = r.Scan(from.name, from.version, &text, from.source, from.updatedBy, sqlite.Time(from.updatedAt)); err != nil {
		return def, err
	}
	err = fromJSON(text, &def)
	*to.name, *to.version, *to.source, *to.updatedBy, *to.updatedAt = *from.name, *from.version, *from.source, *from.updatedBy, *from.updatedAt
	return def, err
}

// get is a definition as it is for version 0, else that version of one that may have been
// deleted since. NotFound where there is none.
func (d definitions[T]) get(ctx context.Context, from sqlite.Reader, name string, version int) (*T, error) {
	query, args := d.live()+` AND a.name = $1`, []any{name}
	if version != 0 {
		query, args = d.versions()+` AND v.version = $2`, append(args, version)
	}
	def, err := d.scan(from.QueryRowContext(ctx, query, args...))
	if err != nil {
		return nil, sqlite.NotFound(err, d.says.none, name)
	}
	return &def, nil
}

// current are all definitions there are, by name. All of them can be long, and a version never
// changes: they are read again only where one was made or deleted since they were kept.
func (d definitions[T]) current(ctx context.Context, from sqlite.Reader, kept *atomic.Pointer[[]T]) ([]T, error) {
	now, err := sqlite.List(ctx, from, func(r sqlite.Scanner) (def T, err error) {
		h := d.head(&def)
		err = r.Scan(h.name, h.version)
		return def, err
	}, d.named())
	if err != nil {
		return nil, err
	}
	same := func(a, b T) bool {
		x, y := d.head(&a), d.head(&b)
		return *x.name == *y.name && *x.version == *y.version
	}
	all := kept.Load()
	if all == nil || !slices.EqualFunc(*all, now, same) {
		read, err := sqlite.List(ctx, from, d.scan, d.sorted())
		if err != nil {
			return nil, err
		}
		all = &read
		kept.Store(all)
	}
	return *all, nil
}

// deleted are the names of those that were deleted.
func (d definitions[T]) deleted(ctx context.Context, c *core) ([]string, error) {
	return sqlite.List(ctx, c.db, sqlite.ScanString, `SELECT name FROM `+d.noun+`s WHERE deleted ORDER BY name`)
}

// history are the newest versions of a definition, which may have been deleted, the newest first.
func (d definitions[T]) history(ctx context.Context, c *core, name string) ([]T, error) {
	all, err := sqlite.List(ctx, c.db, d.scan, d.versions()+` ORDER BY v.version DESC LIMIT $2`, name, maxVersions)
	if err == nil && len(all) == 0 {
		err = agent.Errorf(agent.NotFound, d.says.none, name)
	}
	return all, err
}

// create adds a definition; versions of one that had the name before go on counting.
// Conflict where the name is taken, or there are as many as there may be.
func (d definitions[T]) create(ctx context.Context, c *core, v agent.Viewer, def T) (T, error) {
	h := d.head(&def)
	*h.version, *h.source, *h.updatedBy = 0, agent.AgentByAdmin, v.Email
	ctx = agent.WithViewer(ctx, v)
	err := c.db.Write(ctx, true, func(t *sqlite.Tx) error {
		var live, taken int
		if err := t.Row(`SELECT COUNT(*), COUNT(CASE WHEN name = $1 THEN 1 END) FROM `+d.noun+`s WHERE NOT deleted`, *h.name).Scan(&live, &taken); err != nil {
			return err
		}
		switch {
		case taken > 0:
			return agent.Errorf(agent.Conflict, d.says.taken, *h.name)
		case live >= d.most:
			return agent.Errorf(agent.Conflict, d.says.full, live)
		}
		return d.add(ctx, t, d.created, &def)
	})
	return def, err
}

// update makes a new version of a definition whose newest one is the one given; what says
// the same as that makes none. NotFound where there is none, Conflict where somebody else
// has changed it, or the configuration has it.
func (d definitions[T]) update(ctx context.Context, c *core, v agent.Viewer, def T) (T, error) {
	h := d.head(&def)
	*h.source, *h.updatedBy = agent.AgentByAdmin, v.Email
	ctx = agent.WithViewer(ctx, v)
	err := c.db.Write(ctx, true, func(t *sqlite.Tx) error {
		have, err := d.own(t, *h.name)
		switch {
		case err != nil:
			return err
		case *d.head(&have).version != *h.version:
			return agent.Errorf(agent.Conflict, d.says.changed, *h.name, *d.head(&have).version)
		case have.SameAs(def):
			def = have
			return nil
		}
		return d.add(ctx, t, d.updated, &def)
	})
	return def, err
}

// remove ends a definition; its versions can still be read. Errors are those of update,
// apart from the version.
func (d definitions[T]) remove(ctx context.Context, c *core, v agent.Viewer, name string) error {
	ctx = agent.WithViewer(ctx, v)
	return c.db.Write(ctx, true, func(t *sqlite.Tx) error {
		def, err := d.own(t, name)
		if err != nil {
			return err
		}
		return d.end(ctx, t, def)
	})
}

// own is a definition that admins may change.
func (d definitions[T]) own(t *sqlite.Tx, name string) (T, error) {
	def, err := d.scan(t.Row(d.live()+` AND a.name = $1`, name))
	if err != nil {
		return def, sqlite.NotFound(err, d.says.none, name)
	}
	if *d.head(&def).source == agent.AgentConfigured {
		err = agent.Errorf(agent.Conflict, d.says.configured, name, name)
	}
	return def, err
}

// add makes a definition the newest version of its name.
func (d definitions[T]) add(ctx context.Context, t *sqlite.Tx, action string, def *T) error {
	h := d.head(def)
	*h.updatedAt = agent.Stamp(t.Clock)
	if err := t.Row(`INSERT INTO `+d.noun+`s (name, version) VALUES ($1, 1)
		ON CONFLICT (name) DO UPDATE SET version = version + 1, deleted = FALSE RETURNING version`, *h.name).Scan(h.version); err != nil {
		return err
	}
	text, err := toJSON(def)
	if err != nil {
		return err
	}
	if _, err := t.Exec(`INSERT INTO `+d.noun+`_versions (name, version, definition, source, updated_by, updated_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		*h.name, *h.version, text, *h.source, *h.updatedBy, sqlite.MS(*h.updatedAt)); err != nil {
		return err
	}
	return d.audit(ctx, t, action, h)
}

func (d definitions[T]) end(ctx context.Context, t *sqlite.Tx, def T) error {
	h := d.head(&def)
	if _, err := t.Exec(`UPDATE `+d.noun+`s SET deleted = TRUE WHERE name = $1`, *h.name); err != nil {
		return err
	}
	return d.audit(ctx, t, d.removed, h)
}

// audit names the version, which says the rest.
func (d definitions[T]) audit(ctx context.Context, t *sqlite.Tx, action string, h head) error {
	detail, err := toJSON(map[string]any{"version": *h.version, "source": *h.source})
	if err != nil {
		return err
	}
	return addAudit(ctx, t, "", action, *h.name, detail)
}
