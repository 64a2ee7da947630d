// Package passages cuts what was read of a document into pieces that are found as one.
//
// It imports agent and the standard library.
package passages
