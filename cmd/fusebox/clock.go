package main

import (
	"time"

	"github.com/oklog/ulid/v2"
)

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// newID makes ids that sort by time; within one process strictly.
func newID() string { return ulid.Make().String() }
