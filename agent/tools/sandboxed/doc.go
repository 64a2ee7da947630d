// Package sandboxed starts the programs that admins have configured as sources of tools: MCP
// servers and command tools. Each gets the walls of run_shell, a folder of its own, and what
// its entry names: the program itself, folders, variables, and the network.
//
// It imports nothing of Fusebox but the package sandbox.
package sandboxed
