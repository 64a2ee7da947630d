//go:build !linux

package main

// hideEnvironment has nothing to do where there is no /proc.
func hideEnvironment() error { return nil }

// closeInherited has nothing to do: no command is started with it.
func closeInherited() {}
