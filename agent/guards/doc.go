// Package guards checks the breakers against runs that go wrong by themselves:
// one detector per file, each a pure function of an agent.History that keeps
// nothing between two checks. guards.go lists them.
//
// replay.go shows stored runs to them under other settings, history.go a recorded
// file; neither executes anything.
//
// It imports nothing of Fusebox but the package agent: no store, no clock, no
// provider. What a verdict does is the Loop's business.
package guards
