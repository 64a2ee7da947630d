package agent

import (
	"fmt"
	"time"
)

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
	if what := c.wrong(row, before); what != "" {
		return &AuditFault{Row: row, What: what}
	}
	c.last = row
	c.seen = c.seen || c.Head == row.Hash
	return nil
}

func (c *AuditCheck) wrong(row AuditRow, before string) string {
	want := c.last.Seq + 1
	follows, intact := row.Before == before, row.Sum() == row.Hash
	switch {
	case row.Seq <= 0 || row.Hash == "":
		return "it is not in the chain: it was added outside the program, or the server has to be started once to put older rows into the chain"
	case row.Seq > want+1:
		return fmt.Sprintf("rows %d to %d are missing before it", want, row.Seq-1)
	case row.Seq == want+1:
		return fmt.Sprintf("row %d is missing before it", want)
	case row.Seq < want:
		return fmt.Sprintf("it is in the wrong order: row %d should be here", want)
	case !follows && !intact:
		return "it is out of place: it was moved here, or a row before it was inserted or removed"
	case !intact:
		return "it was changed: its fields do not match its hash"
	case !follows:
		return "it does not follow the previous row: that one was replaced, or rows in between were removed"
	default:
		return ""
	}
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
