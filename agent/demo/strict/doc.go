// Package strict has the rules by which providers refuse requests: those about
// tool calls that all share (calls.go), and those of single families
// (family.go), some of which want back what was sent with a call (memory.go).
//
// It knows nothing of how the demo model answers.
package strict
