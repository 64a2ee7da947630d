package agent

import (
	"time"
)

// Wait is a call that is retried without the model until its result
// changes. It is only this row: no goroutine and no timer belong to it.
type Wait struct {
	CallID string `json:"callId"`
	// Result is the fingerprint that the result has to differ from.
	Result string        `json:"result"`
	Delay  time.Duration `json:"delay"`
	NextAt time.Time     `json:"nextAt"`
	Until  time.Time     `json:"until"`
}
