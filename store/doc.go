// Package store keeps everything in SQLite, with hand-written SQL. It implements
// agent.Journal, service.RunStore and what web asks for.
//
// From the bottom up: driver.go and migrate.go open a database; rows.go, where.go
// and page.go read values, conditions and pages; writer.go is the one writer,
// which commits in groups, and tx.go is what a change works with; core.go puts
// them together. The types of the aggregates build on it, each in a file of its
// name: Users, Conversations, Runs, Journal, Approvals and so on. A change that
// concerns several aggregates is a function that takes the tx. Store, at the top,
// composes the types.
//
// It imports agent, agent/lru and migrations, never agent/service, web or views; the
// SQL driver is imported nowhere else. The SQL keeps to what PostgreSQL understands too:
// placeholders in order of first use, times as integer milliseconds, RETURNING
// and ON CONFLICT, JSON as text.
package store
