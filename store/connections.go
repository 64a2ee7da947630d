package store

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Connections keeps the endpoints that admins have connected.
type Connections struct{ *core }

const connectionColumns = `name, base_url, sealed_key, version, removed, changed_by, changed_at`

func scanConnection(r sqlite.Scanner) (c agent.Connection, err error) {
	err = r.Scan(&c.Name, &c.BaseURL, &c.SealedKey, &c.Version, &c.Removed, &c.ChangedBy, sqlite.Time(&c.ChangedAt))
	return c, err
}

// Connections are all there are and, of those that were removed, the names.
func (s *Connections) Connections(ctx context.Context) ([]agent.Connection, error) {
	return sqlite.List(ctx, s.db, scanConnection, `SELECT `+connectionColumns+` FROM endpoints ORDER BY name`)
}

// connectionDetail is the audit log's detail of a change: what it was and is, and no key.
type connectionDetail struct {
	BaseURL string `json:"baseUrl,omitempty"`
	Was     string `json:"was,omitempty"`
	// Key is none, kept, or new.
	Key string `json:"key,omitempty"`
	// DefaultModel is the one that was taken back.
	DefaultModel string `json:"defaultModel,omitempty"`
}

func keyState(was, is string) string {
	switch is {
	case "":
		return "none"
	case was:
		return "kept"
	}
	return "new"
}

// AddConnection adds one; a name that was removed is used again. Conflict where there is
// one of that name, or there are as many as there may be.
func (s *Connections) AddConnection(ctx context.Context, v agent.Viewer, c agent.Connection) error {
	detail := connectionDetail{BaseURL: c.BaseURL, Key: keyState("", c.SealedKey)}
	return s.audited(agent.WithViewer(ctx, v), "", "endpoint.connect", c.Name, detail, func(t *sqlite.Tx) error {
		var n int
		if err := t.Row(`SELECT COUNT(*) FROM endpoints WHERE NOT removed`).Scan(&n); err != nil {
			return err
		}
		if n >= agent.MaxConnections {
			return agent.Errorf(agent.Conflict, "There are %d connected endpoints already, as many as there may be. Remove one first.", n)
		}
		added, err := t.Exec(`INSERT INTO endpoints (name, base_url, sealed_key, version, changed_by, changed_at) VALUES ($1, $2, $3, 1, $4, $5)
			ON CONFLICT (name) DO UPDATE SET base_url = excluded.base_url, sealed_key = excluded.sealed_key, version = version + 1,
				removed = FALSE, changed_by = excluded.changed_by, changed_at = excluded.changed_at WHERE removed`,
			c.Name, c.BaseURL, c.SealedKey, v.Email, sqlite.MS(s.clock.Now()))
		if err == nil && added == 0 {
			err = agent.Errorf(agent.Conflict, "There is an endpoint named %s already. Edit that one, or choose another name.", c.Name)
		}
		return err
	})
}

// ChangeConnection sets address and key of one whose version is the one given. NotFound
// where there is none, Conflict where somebody else has changed it.
func (s *Connections) ChangeConnection(ctx context.Context, v agent.Viewer, c agent.Connection) error {
	var detail connectionDetail
	return s.audited(agent.WithViewer(ctx, v), "", "endpoint.change", c.Name, &detail, func(t *sqlite.Tx) error {
		was, err := seenConnection(t, c.Name, c.Version)
		if err != nil {
			return err
		}
		detail = connectionDetail{BaseURL: c.BaseURL, Was: was.BaseURL, Key: keyState(was.SealedKey, c.SealedKey)}
		_, err = t.Exec(`UPDATE endpoints SET base_url = $1, sealed_key = $2, version = version + 1, changed_by = $3, changed_at = $4 WHERE name = $5`,
			c.BaseURL, c.SealedKey, v.Email, sqlite.MS(s.clock.Now()), c.Name)
		return err
	})
}

// RemoveConnection forgets address and key, and the default model where that is one of
// its models. Errors are those of ChangeConnection.
func (s *Connections) RemoveConnection(ctx context.Context, v agent.Viewer, name string, version int64) error {
	var detail connectionDetail
	return s.audited(agent.WithViewer(ctx, v), "", "endpoint.remove", name, &detail, func(t *sqlite.Tx) error {
		was, err := seenConnection(t, name, version)
		if err != nil {
			return err
		}
		detail.Was = was.BaseURL
		if err := t.Each(func(r sqlite.Scanner) error { return r.Scan(&detail.DefaultModel) },
			`SELECT value FROM settings WHERE key = $1 AND SUBSTR(value, 1, LENGTH($2) + 1) = $2 || '/'`, agent.DefaultModelKey, name); err != nil {
			return err
		}
		if detail.DefaultModel != "" {
			if _, err := t.Exec(`DELETE FROM settings WHERE key = $1`, agent.DefaultModelKey); err != nil {
				return err
			}
		}
		_, err = t.Exec(`UPDATE endpoints SET base_url = '', sealed_key = '', removed = TRUE, version = version + 1, changed_by = $1, changed_at = $2 WHERE name = $3`,
			v.Email, sqlite.MS(s.clock.Now()), name)
		return err
	})
}

// seenConnection is a connection as it is, Conflict where that is not the version that was seen.
func seenConnection(t *sqlite.Tx, name string, seen int64) (agent.Connection, error) {
	c, err := scanConnection(t.Row(`SELECT `+connectionColumns+` FROM endpoints WHERE name = $1 AND NOT removed`, name))
	if err != nil {
		return c, sqlite.NotFound(err, "There is no such endpoint.")
	}
	if c.Version != seen {
		return c, agent.Errorf(agent.Conflict, "%s has changed this endpoint meanwhile, at %s UTC: it is at %s now. Look at it and save again.",
			c.ChangedBy, c.ChangedAt.UTC().Format(time.TimeOnly), c.BaseURL)
	}
	return c, nil
}
