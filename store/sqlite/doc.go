// Package sqlite is the database as a file: it opens and migrates it, commits the writes
// of many in groups, and reads rows.
//
// From the bottom up: driver.go and files.go open a file and watch over it; rows.go reads;
// tx.go is what a change works with; transaction.go runs a group of changes; writer.go
// has them wait; db.go puts them together, and space.go gives back what was deleted.
//
// It imports agent and migrations. It knows no table: what is written is the business of
// who calls it. Beside it, only helpers of tests import the SQL driver.
package sqlite
