// Package text has every sentence that a page shows, in one file per language.
//
// A message is a whole sentence or label, named by its room and its place, such
// as "inbox.empty.head". It is never put together from pieces: what changes is
// an argument (%[1]s), what depends on a count has plural forms, and markup in
// the middle is an argument of Rich. A translator can therefore reorder
// everything.
//
// The key of a call is always a literal, so that the tests can check every call
// against the catalogue. The package imports nothing of ours.
package text
