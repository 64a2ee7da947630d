package config

import "fmt"

// Error is bad input on the command line, in the environment or in the
// configuration file: one line that says where, what, and what is allowed.
type Error struct{ text string }

func (e Error) Error() string { return e.text }

// Errorf is an Error.
func Errorf(format string, args ...any) error { return Error{fmt.Sprintf(format, args...)} }
