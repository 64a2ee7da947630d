package main

import "github.com/oklog/ulid/v2"

// newID makes ids that sort by time; within one process strictly.
func newID() string { return ulid.Make().String() }
