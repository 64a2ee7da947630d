package present

import "fusebox/views/text"

// Plural counts things: 1 run, 2 runs.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Tokens(n) + " " + many
}

// CountOfRuns counts runs. It is an argument of a sentence that counts more than one thing,
// since a message of the catalogue has one plural.
func CountOfRuns(tr *text.Printer, n int) string {
	return tr.T("page.count.runs", n, Tokens(int64(n)))
}

// CountOfCalls counts calls.
func CountOfCalls(tr *text.Printer, n int64) string {
	return tr.T("page.count.calls", n, Tokens(n))
}

// CountOfDays counts days.
func CountOfDays(tr *text.Printer, n int) string { return tr.T("page.count.days", n) }
