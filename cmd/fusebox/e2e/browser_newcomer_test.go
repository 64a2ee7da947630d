package e2e

import (
	"fmt"
	"testing"
)

// newcomer counts what a person at a window of 1440×900 does to get somewhere.
type newcomer struct {
	*browser
	clicks, scrolls int
}

// hits clicks on what has come to rest, scrolling there first where it is not in sight.
func (n *newcomer) hits(what, selector string) {
	n.t.Helper()
	n.do("find "+what, visible(selector), until(fmt.Sprintf(`(() => {
		const el = document.querySelector(%q), box = JSON.stringify(el.getBoundingClientRect());
		const rests = window.lastSeen === box && el.checkVisibility({ visibilityProperty: true });
		window.lastSeen = box;
		return rests;
	})()`, selector)))
	if !ask[bool](n.browser, fmt.Sprintf(`(() => {
		const el = document.querySelector(%q), box = el.getBoundingClientRect();
		return el.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
	})()`, selector)) {
		n.t.Logf("%s is out of sight", what)
		n.scrolls++
	}
	n.clicks++
	n.do(what, click(selector))
}

// TestBrowserNewcomer goes from the first account to the first answer, the first breaker
// that trips, the first approval, and what all of it cost, by what the pages offer.
func TestBrowserNewcomer(t *testing.T) {
	needsBrowser(t)
	p := startEmpty(t, t.TempDir())
	n := &newcomer{browser: newBrowser(t, p.url)}
	troubles := n.watch()
	n.open("/")
	n.do("set up", typing("input[name=code]", p.logged(`setup_code=(\S+)`)),
		typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	n.sees("h1", "What should I work on?")

	n.hits("ask a question", ".examples > :nth-child(1)")
	n.sees(".transcript", "26 °C and partly cloudy in Guangzhou")
	n.sees(".end", "Done")
	n.shoot("newcomer-answer")

	n.hits("watch a loop", ".next-examples > button")
	n.sees("[data-card]", "times in a row")
	n.hits("wrap up", `[data-card] [value="resume:finish_now"]`)
	n.sees(".ask-settled", "Wrapped up")
	n.shoot("newcomer-trip")

	n.hits("approve a command", ".next-examples > button:nth-of-type(2)")
	n.sees("[data-card] .command", "rm -f build")
	n.hits("approve", `[data-card] button[value="approve"]`)
	n.sees(".transcript", "exit code 0")

	n.hits("see what it cost", `.nav a[href="/admin/spend"]`)
	n.sees("main", "Cost per day")
	n.shoot("newcomer-spend")
	if n.clicks > 6 || n.scrolls > 0 {
		t.Errorf("%d clicks and %d scrolls, not 6 and none", n.clicks, n.scrolls)
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
