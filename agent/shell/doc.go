// Package shell reads command lines: which programs they would run, with which
// words, what flows into them, and which files they name. It runs nothing. Where a
// shell would only know at run time, it says so and does not guess.
//
// It imports nothing of Fusebox.
package shell
