package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// AuditCheck walks the chain of the audit log row by row, in the order of Seq,
// and keeps no more of it than its last row.
type AuditCheck struct {
	// Head is a hash from an earlier run, which must still be in the chain, and
	// Rows the number of rows there were then; both may be left out.
	Head string
	Rows int64

	last AuditRow
	seen bool // Head was met
}

// AuditFault is the first thing that is wrong with the chain.
type AuditFault struct {
	Row  AuditRow
	What string
}

func (f *AuditFault) Error() string {
	if f.Row.ID == "" {
		return f.What
	}
	return fmt.Sprintf("row %d (%s, %s by %s, id %s): %s",
		f.Row.Seq, f.Row.At.UTC().Format(time.RFC3339), f.Row.Action, f.Row.Actor, f.Row.ID, f.What)
}

// StartAt begins the walk after a row that is trusted.
func (c *AuditCheck) StartAt(row AuditRow) {
	c.last = row
	c.seen = c.Head == row.Hash
}

// Last is the newest row that was found right.
func (c *AuditCheck) Last() AuditRow { return c.last }

// Next takes the next row; the error is an *AuditFault.
func (c *AuditCheck) Next(row AuditRow) error {
	before := c.last.Hash
	if c.last.Seq == 0 {
		before = AuditGenesis
	}
	want, what := c.last.Seq+1, ""
	follows, intact := row.Before == before, row.Sum() == row.Hash
	switch {
	case row.Seq <= 0 || row.Hash == "":
		what = "it is not in the chain: it was added outside the program, or the server has to be started once to put older rows into the chain"
	case row.Seq > want+1:
		what = fmt.Sprintf("rows %d to %d are missing before it", want, row.Seq-1)
	case row.Seq == want+1:
		what = fmt.Sprintf("row %d is missing before it", want)
	case row.Seq < want:
		what = fmt.Sprintf("it is in the wrong order: row %d should be here", want)
	case !follows && !intact:
		what = "it is out of place: it was moved here, or a row before it was inserted or removed"
	case !intact:
		what = "it was changed: its fields do not match its hash"
	case !follows:
		what = "it does not follow the previous row: that one was replaced, or rows in between were removed"
	default:
		c.last = row
		c.seen = c.seen || c.Head == row.Hash
		return nil
	}
	return &AuditFault{Row: row, What: what}
}

// End says whether something is missing at the end; the error is an *AuditFault.
func (c *AuditCheck) End() error {
	switch {
	case c.last.Seq < c.Rows:
		return &AuditFault{What: fmt.Sprintf("the end was cut off: the chain has %d rows, there were %d", c.last.Seq, c.Rows)}
	case c.Head != "" && !c.seen:
		return &AuditFault{What: "the chain has no row with the hash " + c.Head + ": its end was cut off, or the rows were rewritten"}
	default:
		return nil
	}
}
