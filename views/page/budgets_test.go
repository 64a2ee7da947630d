package page

import (
	"testing"

	"github.com/a-h/templ"

	"fusebox/views/part"
)

// TestBudgetsGolden compares a budget's card with its HTML, for admins and for
// the user it bounds.
func TestBudgetsGolden(t *testing.T) {
	t.Parallel()
	golden(t, map[string]templ.Component{
		"budget": BudgetItem("tok", BudgetRow{
			ID: "b1", Title: "Group <b>, each month", AtLimit: "It is stopped.", By: "ana@example.com", At: noon,
			Reset: &part.BudgetReset{Text: "1 April 00:00", At: noon},
			Meters: []part.BudgetMeter{
				{Name: "Money", Used: "$8.01", Limit: "$10.00", Held: "$0.20", Raised: "$1.00", Left: "$1.79", Percent: 80, HeldPercent: 2, Level: part.Warm},
				{Name: "Tokens", Used: "1.1M", Limit: "1M", Left: "0", Percent: 110, Level: part.Tripped},
			},
		}),
		"budget-each": BudgetItem("tok", BudgetRow{
			ID: "b2", Title: "Each run", AtLimit: "It warns.", Soft: true, By: "ana@example.com", At: noon, Each: "Each may use up to $0.50.",
			Fullest: []BudgetSubject{{Name: "Run r1", Href: "/runs/r1", Meters: []part.BudgetMeter{{Name: "Money", Used: "$0.10", Limit: "$0.50", Left: "$0.40", Percent: 20, Level: part.Cool}}}},
		}),
		"budgets-unpriced": unpricedHint([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}),
		"budget-own": BudgetItem("", BudgetRow{
			ID: "b3", Title: "You, each day", AtLimit: "It is stopped.", Meters: []part.BudgetMeter{{Name: "Money", Percent: 20, Level: part.Cool}},
		}),
	})
}
