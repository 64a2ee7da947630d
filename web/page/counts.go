package page

import (
	"fusebox/views/text"
	"fusebox/web/present"
)

// Counts are arguments of sentences that count more than one thing: a message
// has one plural.

func countOfRuns(tr *text.Printer, n int) string {
	return tr.T("page.count.runs", n, present.Tokens(int64(n)))
}

func countOfCalls(tr *text.Printer, n int64) string {
	return tr.T("page.count.calls", n, present.Tokens(n))
}

func countOfDays(tr *text.Printer, n int) string { return tr.T("page.count.days", n) }
