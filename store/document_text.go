package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// DocumentText returns the text that was read from a version, and its sections.
func (s *Documents) DocumentText(ctx context.Context, userID, id string, version int) (text string, sections []agent.Section, err error) {
	row := s.db.QueryRowContext(ctx, `SELECT v.text, v.sections FROM documents d JOIN document_versions v ON v.document_id = d.id `+openTo+`$1
		WHERE d.id = $2 AND v.version = $3`, userID, id, version)
	var encoded string
	if err := row.Scan(&text, &encoded); err != nil {
		return "", nil, noDocument(err)
	}
	err = fromJSON(encoded, &sections)
	return text, sections, err
}

// Passage is where a passage of a document that is open to the person is: its document, version,
// and bytes there, without its text.
func (s *Documents) Passage(ctx context.Context, userID, id string) (f agent.Found, err error) {
	f.PassageID = id
	row := s.db.QueryRowContext(ctx, `SELECT p.document_id, d.name, p.version, p.starts, p.ends, p.place
		FROM passages AS p JOIN documents AS d ON d.id = p.document_id`+openTo+`$1 WHERE p.public_id = $2`, userID, id)
	err = noDocument(row.Scan(&f.DocumentID, &f.Name, &f.Version, &f.Start, &f.End, &f.Place))
	return f, err
}

// maxPassagesOf bounds how many passages of a version are listed.
const maxPassagesOf = 200_000

// PassagesOf are those of a version in the order of its text, without their texts.
func (s *Documents) PassagesOf(ctx context.Context, userID, id string, version int) ([]agent.Found, error) {
	return sqlite.List(ctx, s.db, func(r sqlite.Scanner) (agent.Found, error) {
		f := agent.Found{DocumentID: id, Version: version}
		err := r.Scan(&f.PassageID, &f.Name, &f.Start, &f.End, &f.Place)
		return f, err
	}, `SELECT p.public_id, d.name, p.starts, p.ends, p.place FROM documents AS d`+openTo+`$1 JOIN passages AS p ON p.document_id = d.id
		WHERE d.id = $2 AND p.version = $3 AND p.gone = 0 ORDER BY p.ordinal LIMIT $4`, userID, id, version, maxPassagesOf)
}
