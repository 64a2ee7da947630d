package present

import "fusebox/views/text"

// CountOfRuns counts runs. It is an argument of a sentence that counts more than one thing,
// since a message of the catalogue has one plural.
func CountOfRuns(tr *text.Printer, n int) string {
	return tr.T("page.count.runs", n, tr.Amount(int64(n)))
}

// CountOfCalls counts calls.
func CountOfCalls(tr *text.Printer, n int64) string {
	return tr.T("page.count.calls", n, tr.Amount(n))
}

// CountOfDays counts days.
func CountOfDays(tr *text.Printer, n int) string { return tr.T("page.count.days", n) }
