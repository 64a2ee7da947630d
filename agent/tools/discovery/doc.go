// Package discovery offers the tools of configured commands: one prints which tools there are,
// another runs a call. Both run behind the walls of run_shell, with what their entry allows.
//
// It imports agent, agent/sandbox, and the packages of tools.
package discovery
