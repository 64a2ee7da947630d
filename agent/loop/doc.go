// Package loop is the engine: the Runner claims runs, the Loop drives each of
// them from step to step until it waits for a person or ends. All that an
// execution knows comes from the journal's snapshot and goes back there, so any
// process can continue where another one stopped.
//
// It imports agent, whose ports it calls, and no implementation of them.
package loop
