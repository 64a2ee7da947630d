// Package histories reads what agents have left behind as the lines that the
// breakers are shown: one file per format. Whether a file may be read, and what
// the breakers say about it, is the business of others.
//
// cases.go reads folders of histories with labels, which package measure scores.
//
// It imports the packages agent and guards, and nothing else of Fusebox.
package histories
