// Package accepted compares the tools of a source outside with what was accepted of them before.
// What has changed since then is held back until an admin accepts it.
//
// It imports agent.
package accepted
