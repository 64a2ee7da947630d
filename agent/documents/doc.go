// Package documents keeps the files of documents on the disk, and has them read: a few at a
// time, out of a queue that survives the process, each by a child process that can die.
//
// It imports agent and agent/passages, and no database. Package child is the reader.
package documents
