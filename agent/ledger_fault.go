package agent

// LedgerFault says what does not add up in the ledger.
type LedgerFault struct{ What string }

func (f *LedgerFault) Error() string { return f.What }
