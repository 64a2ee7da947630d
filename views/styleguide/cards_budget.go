package styleguide

import (
	"github.com/a-h/templ"

	"fusebox/views/part"
)

// budgetCards are those of budgets, of a run and shared.
func budgetCards() map[string]templ.Component {
	return map[string]templ.Component{
		"approval-budget": part.ApprovalCard(part.Approval{
			ID: "3", DOM: "a-3", Kind: "budget", Risk: "high", Head: "No room in the token budget", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			Budget: &part.BudgetShown{
				Name: "This run", NextTokens: "4.5k", NextMoney: "$0.02", RaiseTokens: "200000",
				Meters: []part.BudgetMeter{{Name: "Tokens", Used: "198k", Limit: "200k", Left: "2k", Percent: 99, Level: part.Warm}},
			},
		}),
		"approval-budget-shared": part.ApprovalCard(part.Approval{
			ID: "8", DOM: "a-8", Kind: "budget", Risk: "high", Head: "No room in the spending budget", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			Draft: part.Draft{RaiseUSD: "much", Errors: map[string]string{"raise_usd": "is not an amount of dollars"}},
			Budget: &part.BudgetShown{
				Name: "Everybody, this month", NextTokens: "41.2k", NextMoney: "$0.12", Model: nasty, RaiseUSD: "1.00", Reset: &part.BudgetReset{Text: "1 December 00:00", At: noon},
				Meters: []part.BudgetMeter{{Name: "Money", Used: "$10.00", Limit: "$10.00", Held: "$0.20", Raised: "$1.00", Left: "$0.00", Percent: 100, HeldPercent: 2, Level: part.Tripped}},
			},
		}),
		"approval-budget-reviewer": part.ApprovalCard(part.Approval{
			ID: "9", DOM: "a-9", Kind: "budget", Risk: "high", Head: "A model without a price", Why: "Over.", Generation: 1, CSRF: "tok", MayDecide: true,
			NoApprove: "Only an admin can raise this budget.",
			Budget:    &part.BudgetShown{Name: "Group Research, today", NextTokens: "41.2k", Unpriced: true, Model: "new-model", Meters: []part.BudgetMeter{{Name: "Money", Percent: 20, Level: part.Cool}}},
		}),
	}
}
