package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// OpenAPIDocuments keeps the documents that admins have uploaded.
type OpenAPIDocuments struct{ *core }

// OpenAPIDocument is the one of a source; NotFound where nobody has uploaded one.
func (s *OpenAPIDocuments) OpenAPIDocument(ctx context.Context, source string) (*agent.OpenAPIDocument, error) {
	all, err := sqlite.List(ctx, s.db, scanOpenAPIDocument, `SELECT source, name, body, uploaded_by, uploaded_at FROM openapi_documents WHERE source = $1`, source)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, agent.Errorf(agent.NotFound, "There is no OpenAPI document of %s.", source)
	}
	return &all[0], nil
}

func scanOpenAPIDocument(r sqlite.Scanner) (agent.OpenAPIDocument, error) {
	var d agent.OpenAPIDocument
	var at int64
	err := r.Scan(&d.Source, &d.Name, &d.Body, &d.UploadedBy, &at)
	d.UploadedAt = sqlite.FromMS(at)
	return d, err
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
