// Package agents has the agents that come with the program, and the workflows in which they
// work together.
//
// Of this module it imports the package agent only.
package agents
