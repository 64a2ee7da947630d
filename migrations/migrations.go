// Package migrations holds the database schema as numbered goose files,
// embedded and append only: a file that has been released is never edited.
package migrations

import "embed"

// FS holds NNNN_what.sql.
//
//go:embed *.sql
var FS embed.FS
