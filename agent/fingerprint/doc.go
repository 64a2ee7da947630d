// Package fingerprint tells whether two tool calls, two results or two answers
// are the same: equal fingerprints mean the same for the guards, for grants and
// for approvals that are bound to exact arguments.
//
// It is a leaf: it imports the standard library only.
package fingerprint
