// Package mcp lets other agents and editors use Fusebox as a server of tools, by the
// Model Context Protocol over streamable HTTP at /mcp. Who calls has an API token and
// may do what its owner may, as far as its scopes go.
//
// Nothing can be decided here: a run that waits for a person says where to decide, and
// what is decided is decided on a page.
package mcp
