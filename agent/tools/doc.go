// Package tools holds the built-in tools and runs them: one NAME.go and
// NAME.md (what the model reads) each, listed in registry.go. execute.go holds
// arguments against their schema before anything happens, and bounds a call in
// time and size whatever the tool does.
//
// It imports nothing of Fusebox but the package agent. Whether a call may run
// is not its business: the loop asks, never the tool.
package tools
