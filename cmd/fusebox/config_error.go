package main

import "fmt"

// inputError is bad input on the command line, in the environment or in the
// configuration file: one line that says where, what, and what is allowed.
type inputError struct{ text string }

func (e inputError) Error() string { return e.text }

// errorf is an inputError.
func errorf(format string, args ...any) error { return inputError{fmt.Sprintf(format, args...)} }
