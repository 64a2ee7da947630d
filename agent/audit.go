package agent

import "time"

// AuditRow is one line of who did what. Rows are only ever added; each carries
// the hash of the one before.
type AuditRow struct {
	// Seq counts the rows from 1, without a hole.
	Seq    int64     `json:"seq"`
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"` // e-mail address, or "system"
	Role   Role      `json:"role,omitempty"`
	Action string    `json:"action"` // e.g. approval.decide, user.role
	Target string    `json:"target"` // id of what was acted on
	// Place is where the request came from: "session 192.0.2.7", "token 192.0.2.7".
	Place string `json:"place,omitempty"`
	// Shown is the hash of what was shown to the person who decided.
	Shown  string `json:"shown,omitempty"`
	Detail string `json:"detail"`
	// Before is the hash of the row before, Hash this one's.
	Before string `json:"before"`
	Hash   string `json:"hash"`
}
