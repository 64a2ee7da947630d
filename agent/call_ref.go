package agent

// CallRef names a call by its tool and the guards' fingerprint of its arguments.
type CallRef struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
}

// Key names the streak of one call.
func (c CallRef) Key() string { return c.Tool + ":" + c.Args }

// Allowance moves the thresholds and the breaker of one call by N, for one run.
type Allowance struct {
	CallRef
	N int `json:"n"`
}
