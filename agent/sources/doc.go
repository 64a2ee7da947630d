// Package sources knows where the statements of an answer come from: it numbers what
// tools have retrieved, marks it as untrusted for the model, finds what an answer cites
// and misquotes, and tells which hosts it may link to.
//
// It imports the package agent only, and no other of ours.
package sources
