// Package policy decides which tool calls run, which ask a person and which
// are refused, and at which risk. It looks at what a tool declares and at the
// arguments of the call, never at what the model says of them.
//
// It imports nothing of Fusebox but the package agent.
package policy
