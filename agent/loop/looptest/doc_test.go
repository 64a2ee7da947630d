// Package looptest tests the Loop from outside, over a real database: whole runs with
// a scripted model and tools that count their executions, killed and resumed at every
// point, raced, and held against an oracle. world_test.go has what they share. Unit
// tests are next to the code they test, in agent/loop.
package looptest
