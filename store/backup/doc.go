// Package backup copies a database in use, and the folders beside it, into one file: the
// database with an archive of the files inside it. It restores both from that file.
//
// It imports agent and sqlite, never the store: it takes a database as it is, whatever its
// version.
package backup
