// Package documents keeps the files of documents on the disk, and has them read: one after
// the other, out of a queue that survives the process, each by a child process that can die.
//
// It imports the package agent, and no database. Package child is the reader.
package documents
