// Package store keeps everything in SQLite: one file per aggregate, hand-written
// SQL, one writer that commits in groups (writer.go), a pool of readers. It
// implements agent.Journal, agent.DeskStore and what web asks for.
//
// It imports agent and migrations, never web or views; the SQL driver is
// imported nowhere else. The SQL keeps to what PostgreSQL understands too:
// placeholders in order of first use, times as integer milliseconds, RETURNING
// and ON CONFLICT, JSON as text.
package store
