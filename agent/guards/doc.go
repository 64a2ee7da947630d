// Package guards checks the breakers against runs that go wrong by themselves:
// one detector per file, each a pure function of an agent.History that keeps
// nothing between two checks. guards.go lists them.
//
// replay.go shows a past to them without executing anything: explain.go a file,
// backtest.go stored runs under other settings.
//
// It imports nothing of Fusebox but the package agent: no store, no clock, no
// provider. What a verdict does is the Loop's business.
package guards
