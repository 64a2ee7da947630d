package agent

import "time"

// EntryKind says what a row of the ledger books.
type EntryKind string

// The kinds of rows. A settlement moves what a call took out of its reservation,
// a release what it left over, and a correction what it took beyond it.
const (
	EntryReservation EntryKind = "reservation"
	EntrySettlement  EntryKind = "settlement"
	EntryRelease     EntryKind = "release"
	EntryCorrection  EntryKind = "correction"
)

// The accounts between which the ledger moves amounts.
const (
	AccountAvailable = "available"
	AccountReserved  = "reserved"
	AccountSpent     = "spent"
)

// BudgetAccount names an account of a budget: its subject and window.
type BudgetAccount struct {
	BudgetID string    `json:"budgetId"`
	Subject  string    `json:"subject"`
	StartsAt time.Time `json:"startsAt"`
}

// LedgerEntry is one row of the ledger: it moves an amount from the account
// Credit to the account Debit.
type LedgerEntry struct {
	Seq           int64     `json:"seq"`
	At            time.Time `json:"at"`
	Kind          EntryKind `json:"kind"`
	ReservationID string    `json:"reservationId,omitempty"`
	RunID         string    `json:"runId"`
	Step          int       `json:"step"`
	StepKind      StepKind  `json:"stepKind,omitempty"`
	Debit         string    `json:"debit"`
	Credit        string    `json:"credit"`
	Tokens        int64     `json:"tokens"`
	Micros        int64     `json:"micros"`
	// Accounts are the budgets' accounts it was booked on.
	Accounts []BudgetAccount `json:"accounts,omitempty"`
	// Line is what the amount was spent on; nil where nothing was spent.
	Line *LedgerLine `json:"line,omitempty"`
}

// LedgerLine is the line of the bill that an entry leads to.
type LedgerLine struct {
	ConversationID string `json:"conversationId"`
	// User is the e-mail address, or the id where there is no such account any more.
	User      string    `json:"user"`
	Group     string    `json:"group,omitempty"`
	Model     string    `json:"model"`
	Provider  string    `json:"provider,omitempty"`
	RequestID string    `json:"requestId,omitempty"`
	Tools     []ToolUse `json:"tools,omitempty"`
	Usage     Usage     `json:"usage"`
	Unpriced  bool      `json:"unpriced,omitempty"`
	// NamedMicros is what the endpoint itself says that the call cost.
	NamedMicros int64 `json:"namedMicros,omitempty"`
}

// OpenReservation is what a model call in progress has reserved.
type OpenReservation struct {
	ID       string
	RunID    string
	Step     int
	Kind     StepKind
	Tokens   int64
	Micros   int64
	Accounts []BudgetAccount
	// At is when it was opened, GroupName the user's group then: they decide which
	// budgets it counts for.
	At        time.Time
	GroupName string
}

// Settle returns the rows that end a reservation with what its call took. What
// it took beyond is booked too: the bill is true, whatever was planned.
func (r OpenReservation) Settle(tokens, micros int64) []LedgerEntry {
	heldTokens, heldMicros := min(tokens, r.Tokens), min(micros, r.Micros)
	rows := []LedgerEntry{r.entry(EntrySettlement, AccountSpent, AccountReserved, heldTokens, heldMicros)}
	if r.Tokens > heldTokens || r.Micros > heldMicros {
		rows = append(rows, r.entry(EntryRelease, AccountAvailable, AccountReserved, r.Tokens-heldTokens, r.Micros-heldMicros))
	}
	if tokens > heldTokens || micros > heldMicros {
		rows = append(rows, r.entry(EntryCorrection, AccountSpent, AccountAvailable, tokens-heldTokens, micros-heldMicros))
	}
	return rows
}

// Split divides a reservation: what one of several lines of its call took,
// and the rest for the others.
func (r OpenReservation) Split(tokens, micros int64) (part, rest OpenReservation) {
	part, rest = r, r
	part.Tokens, part.Micros = min(tokens, r.Tokens), min(micros, r.Micros)
	rest.Tokens, rest.Micros = r.Tokens-part.Tokens, r.Micros-part.Micros
	return part, rest
}

// Release returns the row that ends a reservation whose call used nothing
// as far as is known.
func (r OpenReservation) Release() LedgerEntry {
	return r.GiveBack(r.Tokens, r.Micros)
}

// Reserve returns the row that opens it, or makes it so much larger.
func (r OpenReservation) Reserve(tokens, micros int64) LedgerEntry {
	return r.entry(EntryReservation, AccountReserved, AccountAvailable, tokens, micros)
}

// GiveBack returns the row that makes it so much smaller.
func (r OpenReservation) GiveBack(tokens, micros int64) LedgerEntry {
	return r.entry(EntryRelease, AccountAvailable, AccountReserved, tokens, micros)
}

func (r OpenReservation) entry(kind EntryKind, debit, credit string, tokens, micros int64) LedgerEntry {
	return LedgerEntry{
		Kind: kind, ReservationID: r.ID, RunID: r.RunID, Step: r.Step, StepKind: r.Kind,
		Debit: debit, Credit: credit, Tokens: tokens, Micros: micros, Accounts: r.Accounts,
	}
}

// LimitIncrease adds to the limits of a budget's account in its window.
type LimitIncrease struct {
	BudgetAccount
	Tokens, Micros int64
}

// LedgerFault says what does not add up in the ledger.
type LedgerFault struct{ What string }

func (f *LedgerFault) Error() string { return f.What }
