package e2e

import (
	"fmt"
	"testing"
)

// TestBrowserBudget: a budget runs out as a person sees it: a warning in the
// chat, a card with the numbers, a raise, and the run continues.
func TestBrowserBudget(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	admin := p.admin()
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login?next=/admin/budgets")
	b.do("sign in", typing("#email", adminEmail), typing("#password", adminPassword+"\r"))
	b.sees("h1", "Budgets")
	b.shoot("budgets-empty")
	// The demo model's chat about the weather costs $0.0004.
	admin.must("POST", "/api/v1/budgets", `{"who":"everybody","window":"day","limitMicros":1300,"atLimit":"pause"}`)
	admin.must("POST", "/api/v1/budgets", `{"who":"user","window":"month","limitTokens":3000,"soft":true}`)
	b.open("/")
	for n := 1; b.count("[data-card]") == 0; n++ {
		if n > 5 {
			t.Fatal("five chats have not used the budget up")
		}
		b.say("What is the weather in Guangzhou?")
		b.do("see how it rests", until(fmt.Sprintf(`!!document.querySelector("[data-card]") || document.querySelectorAll(".end").length === %d`, n)))
	}
	b.sees(".transcript", adminEmail+", this month: ")
	b.sees(".transcript", "% of the budget used")
	b.sees("[data-card]", "Spending budget reached")
	b.shoot("budget-card")
	b.open("/approvals")
	b.sees("main", "Raise the limit: Everyone, today")
	b.do("open the card", click(`main a[href^="/approvals/"]`), visible(`[name="raise_usd"]`))
	b.shoot("budget-approval")
	b.do("raise it", until(`!!(document.querySelector('[name="raise_usd"]').value = "0.05")`), click(`button[value="resume"]`))
	b.do("see it go on", until(`!document.querySelector('[name="raise_usd"]')`))
	for _, page := range []struct{ path, sees, name string }{
		{"/admin/budgets", "Everyone, per day", "budgets"}, {"/settings/usage", "Your budgets", "settings-budgets"}, {"/alerts", "budget of", "alerts-budget"},
	} {
		b.open(page.path)
		b.sees("main", page.sees)
		b.shoot(page.name)
		b.wide()
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
