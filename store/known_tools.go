package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// KnownTools keeps tools from outside as they were accepted.
type KnownTools struct{ *core }

// KnownTools are those of a source, by the names that it has for them.
func (s *KnownTools) KnownTools(ctx context.Context, source string) (map[string]agent.KnownTool, error) {
	all, err := sqlite.List(ctx, s.db, scanKnownTool, `SELECT source, name, description, parameters, claims, accepted_by, accepted_at
		FROM known_tools WHERE source = $1 ORDER BY name`, source)
	if err != nil {
		return nil, err
	}
	known := map[string]agent.KnownTool{}
	for _, t := range all {
		known[t.Name] = t
	}
	return known, nil
}

func scanKnownTool(r sqlite.Scanner) (agent.KnownTool, error) {
	var t agent.KnownTool
	var parameters, claims string
	var at int64
	err := r.Scan(&t.Source, &t.Name, &t.Description, &parameters, &claims, &t.AcceptedBy, &at)
	t.Parameters, t.Claims, t.AcceptedAt = rawJSON(parameters), rawJSON(claims), sqlite.FromMS(at)
	return t, err
}

// acceptedTools is what the audit log says of tools that were accepted.
type acceptedTools struct {
	Tools map[string]string `json:"tools"` // fingerprints by name
}

// AcceptTools stores tools of a source as they are now, under the person of the context.
func (s *KnownTools) AcceptTools(ctx context.Context, source string, accepted []agent.KnownTool) error {
	by := agent.ViewerIn(ctx).Email
	detail := acceptedTools{Tools: map[string]string{}}
	for _, t := range accepted {
		detail.Tools[t.Name] = t.Fingerprint()
	}
	return s.audited(ctx, by, "tools.accept", source, detail, func(t *sqlite.Tx) error {
		for _, k := range accepted {
			if _, err := t.Exec(`INSERT INTO known_tools (source, name, description, parameters, claims, accepted_by, accepted_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7)
				ON CONFLICT (source, name) DO UPDATE SET description = excluded.description, parameters = excluded.parameters,
					claims = excluded.claims, accepted_by = excluded.accepted_by, accepted_at = excluded.accepted_at`,
				source, k.Name, k.Description, string(k.Parameters), string(k.Claims), by, sqlite.MS(k.AcceptedAt)); err != nil {
				return err
			}
		}
		return nil
	})
}
