package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"fusebox/agent/sandbox/room"
)

// hideEnvironment keeps other processes of the same user, above all the
// commands that the agent runs, from reading this process's environment and
// memory under /proc: the provider's key is in there.
func hideEnvironment() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the environment: %w", err)
	}
	return nil
}

// closeInherited closes what whoever started the server left open, but for its input
// and output: nobody reads it, and commands are not to find it.
func closeInherited() { room.CloseInherited(3) }
