package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// AuditRow is one line of the audit log. Rows are only ever added; each carries
// the hash of the one before.
type AuditRow struct {
	// Seq counts the rows from 1, without a hole.
	Seq    int64     `json:"seq"`
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`  // e-mail address, or "system"
	Action string    `json:"action"` // e.g. approval.decide, user.update
	Target string    `json:"target"` // id of what was acted on
	// Role is the actor's at that moment.
	Role Role `json:"role,omitempty"`
	// Place is where the request came from: "session 192.0.2.7",
	// `token "ci" 192.0.2.7`, "command line". The address is the connection's.
	Place string `json:"place,omitempty"`
	// Shown is the hash of what was shown to the deciding person.
	Shown  string `json:"shown,omitempty"`
	Detail string `json:"detail"`
	// Before is the hash of the row before, Hash this one's.
	Before string `json:"before"`
	Hash   string `json:"hash"`
}

// AuditGenesis is what the first row carries as the hash of the one before.
var AuditGenesis = strings.Repeat("0", 2*sha256.Size)

// auditFormat opens what is hashed, so that another encoding, should there ever
// be one, cannot be mistaken for this one.
const auditFormat = "fusebox-audit-1"

// Sum is the hash that a row must carry: SHA-256, in hex, over its fields in a
// fixed order, each as its length in bytes, a colon, the bytes and a comma. So
// no two different rows are hashed as the same text. Seq is decimal, At the
// milliseconds since 1970 in UTC (0 for none), all others are unchanged.
func (r AuditRow) Sum() string {
	at := int64(0)
	if !r.At.IsZero() {
		at = r.At.UnixMilli()
	}
	h := sha256.New()
	for _, field := range []string{
		auditFormat, strconv.FormatInt(r.Seq, 10), r.Before, r.ID, strconv.FormatInt(at, 10),
		r.Actor, string(r.Role), r.Action, r.Target, r.Place, r.Shown, r.Detail,
	} {
		_, _ = h.Write([]byte(strconv.Itoa(len(field)) + ":" + field + ",")) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// After makes the row the one that follows prev; the zero row means none.
func (r AuditRow) After(prev AuditRow) AuditRow {
	r.Seq, r.Before = prev.Seq+1, prev.Hash
	if prev.Seq == 0 {
		r.Before = AuditGenesis
	}
	r.Hash = r.Sum()
	return r
}

// AuditFilter narrows the audit log; zero values narrow nothing.
type AuditFilter struct {
	// Actor and Target are exact, Action is how the action begins.
	Actor, Action, Target string
	// From is included, To is not.
	From, To time.Time
	// Search is a part of the target, the place or the detail, ignoring case.
	Search string
}
