package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// KnownTools keeps tools from outside as they were accepted.
type KnownTools struct{ *core }

// KnownTools are those of a source, by the names that it has for them.
func (s *KnownTools) KnownTools(ctx context.Context, source string) (map[string]agent.KnownTool, error) {
	all, err := sqlite.List(ctx, s.db, func(r sqlite.Scanner) (t agent.KnownTool, err error) {
		var parameters, claims string
		err = r.Scan(&t.Source, &t.Name, &t.Description, &parameters, &claims, &t.AcceptedBy, sqlite.Time(&t.AcceptedAt))
		t.Parameters, t.Claims = rawJSON(parameters), rawJSON(claims)
		return t, err
	}, `SELECT source, name, description, parameters, claims, accepted_by, accepted_at
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

// OpenAPIDocuments keeps the documents that admins have uploaded.
type OpenAPIDocuments struct{ *core }

// OpenAPIDocument is the one of a source; NotFound where nobody has uploaded one.
func (s *OpenAPIDocuments) OpenAPIDocument(ctx context.Context, source string) (*agent.OpenAPIDocument, error) {
	var d agent.OpenAPIDocument
	err := s.db.QueryRowContext(ctx, `SELECT source, name, body, uploaded_by, uploaded_at FROM openapi_documents WHERE source = $1`, source).
		Scan(&d.Source, &d.Name, &d.Body, &d.UploadedBy, sqlite.Time(&d.UploadedAt))
	if err != nil {
		return nil, sqlite.NotFound(err, "There is no OpenAPI document of %s.", source)
	}
	return &d, nil
}

// uploadedDocument is the audit log's detail of an upload.
type uploadedDocument struct {
	File   string `json:"file"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// SaveOpenAPIDocument takes the place of the document that its source had before.
func (s *OpenAPIDocuments) SaveOpenAPIDocument(ctx context.Context, d agent.OpenAPIDocument) error {
	sum := sha256.Sum256(d.Body)
	detail := uploadedDocument{File: d.Name, Bytes: len(d.Body), SHA256: hex.EncodeToString(sum[:])}
	return s.audited(ctx, d.UploadedBy, "openapi.upload", "openapi:"+d.Source, detail, func(t *sqlite.Tx) error {
		_, err := t.Exec(`INSERT INTO openapi_documents (source, name, body, uploaded_by, uploaded_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (source) DO UPDATE SET name = excluded.name, body = excluded.body,
				uploaded_by = excluded.uploaded_by, uploaded_at = excluded.uploaded_at`,
			d.Source, d.Name, d.Body, d.UploadedBy, sqlite.MS(d.UploadedAt))
		return err
	})
}
