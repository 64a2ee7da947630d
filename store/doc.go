// Package store keeps everything in SQLite, with hand-written SQL. It implements
// agent.Journal and service.Store.
//
// From the bottom up: package sqlite is the database, package eventlog the log of
// events. query.go puts conditions and pages together; store.go has what the types of the
// aggregates share. These are Users, Conversations, Runs, Journal, Approvals and so on,
// each in a file of its name, without cycles between them. A change that concerns
// several aggregates is a function that takes the transaction. Store, at the top,
// composes the types.
//
// It imports agent, agent/lru, agent/ranking, migrations and the packages below it, never
// agent/service, web or views. The SQL keeps to what PostgreSQL understands too:
// placeholders in order of first use, times as integer milliseconds, RETURNING and ON
// CONFLICT, JSON as text. The index of passages is SQLite's own: FTS4.
package store
