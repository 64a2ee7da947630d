package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowserInbox works through an inbox by keyboard: rows are ticked and
// decided together, while somebody else decides too and nothing moves.
func TestBrowserInbox(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	elsewhere := p.admin()
	var runs []string
	for _, ask := range []string{"test files", "test approval", "test files", "test dead loop"} {
		_, run := elsewhere.ask(ask)
		elsewhere.rests(run)
		runs = append(runs, run)
	}
	b.open("/login?next=/approvals")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.do("see the inbox", until(`document.querySelectorAll(".inbox-row.is-unread").length === 4`))
	b.shoot("inbox-full")
	b.wide()

	b.do("go down", press("j"), until(`document.activeElement.matches(".inbox-row:nth-child(1) .inbox-link")`))
	b.do("a decision key does nothing to a row of high risk", press("a"), press("r"), press("j"), press("x"), until(`document.querySelectorAll("[data-pick]:checked").length === 2`))
	b.do("two that ask for the same fold into one row", press("x"), until(`document.querySelectorAll("[data-pick]:checked").length === 0 && document.activeElement.matches("[data-group] > details:not([open]) > summary")`))
	b.do("they unfold", press("\r"), press("j"), press("x"), until(`document.querySelectorAll("[data-pick]:checked").length === 1 && document.querySelector("[data-pick-group]").indeterminate`))
	if shift := ask[float64](b, `performance.getEntriesByType("layout-shift").reduce((sum, e) => sum + (e.hadRecentInput ? 0 : e.value), 0)`); shift > 0.02 {
		t.Errorf("the page moved by %v while it loaded", shift)
	}
	b.sees("#bulk", "1 selected")
	b.do("open the keys", press("?"), until(`document.getElementById("keys").open`))
	b.shoot("inbox-keys")
	b.wide()
	b.do("close them", press("\x1b"), until(`!document.getElementById("keys").open`))
	b.do("tick all", click("[data-pick-all]"), until(`document.querySelector("#bulk [data-picked]").textContent === "2 selected"`))

	before := b.places()
	elsewhere.decide(runs[1], `{"decision":"reject","comment":"not today"}`)
	b.sees(".inbox-row.is-settled", "Denied by "+adminEmail)
	if after := b.places(); after != before {
		t.Errorf("the rows moved: %s, before %s", after, before)
	}
	if n := b.count("[data-pick]:checked"); n != 2 {
		t.Errorf("%d rows are ticked", n)
	}
	b.do("open the bell", click("#bell-side summary"), visible("#bell-side .bell-body"))
	b.shoot("bell")
	b.wide()
	b.do("close it", press("\x1b"), until(`!document.querySelector("#bell-side details").open`))
	elsewhere.ask("test approval")
	b.do("see what is new", until(`document.querySelectorAll(".inbox-row").length === 5 && document.querySelectorAll("#bell-side li").length === 3`))
	if b.count("#bell-side details[open], #inbox > :last-child:not(.is-unread)") != 0 || b.count("[data-pick]:checked") != 2 {
		t.Error("a new row opens the bell, is no new one, or takes ticks away")
	}
	b.do("Enter in the comment decides nothing", typing("#bulk-comment", "fine\r"))
	b.do("approve both", click("#bulk-approve summary"), visible("#bulk-approve .confirm-box"))
	b.shoot("inbox-bulk")
	b.wide()
	b.do("really", click("#bulk-approve button"))
	b.sees(".bulk-said", "2 of 2 decided")
	if got := elsewhere.must("GET", "/api/v1/approvals?status=decided&tool=write_file", "")["items"].([]any)[0].(map[string]any)["comment"]; got != "fine" {
		t.Errorf("the comment is %v", got)
	}
	b.shoot("inbox-decided")
	b.do("open the first one", press("j"), press("\r"), until(`document.activeElement.matches("[data-card]")`))
	b.do("unfold the arguments, which is told at once", click("[data-edit] summary"),
		until(`performance.getEntriesByType("resource").some((e) => e.name.endsWith("/look") && e.responseStatus === 204)`))
	b.do("back to the card", click(".page-head h1"))
	b.do("the keys are here too", press("?"), until(`document.getElementById("keys").open`))
	elsewhere.ask("test files")
	b.open("/approvals")
	b.do("approve in the row, by key", until(`(() => {
		const button = document.querySelector("[data-row-key=a]");
		button?.closest(".inbox-row").querySelector(".inbox-link").focus();
		return !!button;
	})()`), chromedp.Sleep(800*time.Millisecond), press("a"))
	b.sees(".inbox-row.is-settled", "Approved by "+adminEmail)
	b.sees("#live", "Approved by "+adminEmail)
	for _, run := range []string{runs[0], runs[2]} {
		if got := elsewhere.rests(run)["status"]; got != "finished" {
			t.Errorf("run %s is %v", run, got)
		}
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// wide makes the window as wide as a desktop screen, which a screenshot leaves narrow.
func (b *browser) wide() {
	b.t.Helper()
	b.do("a wide window", chromedp.EmulateViewport(1440, 900))
}

// places are the tops of the inbox's rows.
func (b *browser) places() string {
	b.t.Helper()
	return fmt.Sprint(ask[[]float64](b, `[...document.querySelectorAll(".inbox-row")].map((el) => el.getBoundingClientRect().top + scrollY)`))
}
