package e2e

import (
	"net/http"
	"testing"
)

// TestBrowserPlan follows a plan above the answer, changes it while the run waits, and sees
// it folded at the end.
func TestBrowserPlan(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir())
	admin := p.admin()
	admin.expects(http.StatusCreated, "POST", "/api/v1/policy/rules", `{"tool":"calculator","action":"ask"}`)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("test plan")
	b.sees(".plan", "0 of 4 done")
	b.sees("[data-card]", "calculator")
	b.shoot("plan-waits")
	b.do("change the plan", click(".plan a[href$='/plan']"))
	b.sees("h1", "Change the plan")
	b.shoot("plan-form")
	b.do("reword", typing("#note-3", "before noon"), typing("#step-5", "Rest"), click("#main form.card button[type=submit]"))
	b.sees(".plan", "before noon")
	b.sees(".plan", "0 of 5 done")
	b.do("approve", click("[data-card] [value=approve]"))
	b.sees("#transcript", "changed the plan.")
	b.do("wait for the end", until(`!!document.querySelector('#transcript a[href^="/runs/"]') && !document.querySelector(".plan details").open`))
	b.sees(".plan", "3 of 4 done")
	b.do("unfold it", click(".plan-head"))
	b.sees(".plan", "the shop is closed today")
	b.shoot("plan-ended")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
