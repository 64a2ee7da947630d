// Package backup saves a database in use, and folders beside it, in one file: a copy of
// the database with an archive of the files in it. It restores both from that.
//
// It imports agent and sqlite, never the store: it takes a database as it is, whatever its
// version.
package backup
