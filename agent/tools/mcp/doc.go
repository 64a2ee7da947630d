// Package mcp offers the tools of MCP servers. Each configured server has one keeper, which
// starts it, watches it, and starts it again; a server that hangs, dies, floods, or answers
// nonsense costs its own calls one clear error, and nobody else anything.
//
// What a server says of itself is a claim: its annotations can raise a risk and never lower
// one, and a tool whose description or schema changes is held back until an admin accepts it.
//
// The MCP SDK stays in here. The package imports agent, agent/safehttp, agent/sandbox, and
// the packages of tools.
package mcp
