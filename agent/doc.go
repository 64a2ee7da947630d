// Package agent is the domain of Fusebox: conversations, runs, tool calls,
// approvals, budgets, the events about them, and the Loop that drives
// a run until it waits for a person or ends.
//
// It imports the standard library only. What the Loop needs from outside (a
// model, tools, a journal, a clock) it declares as small interfaces; other
// packages implement them and cmd/fusebox wires them together.
package agent
