// Package agents has the agents that come with the program.
//
// Of this module it imports the package agent only.
package agents
