// Package printable takes out of texts from outside what neither people nor models should
// get of them: the sequences that control terminals, control characters, and characters
// that nobody sees or that turn the order in which others are read.
//
// It imports the standard library only.
package printable
