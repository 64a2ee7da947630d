// Package measure scores the breakers on labelled histories, with the current
// settings and, for comparison, with other settings.
//
// It imports the packages agent, guards, and histories, and nothing else of
// Fusebox.
package measure
