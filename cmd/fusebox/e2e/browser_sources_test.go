package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserSources: a person follows a citation to its source, sees which one is
// invented, and finds no link that would carry data away, live and after a reload.
func TestBrowserSources(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir())
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("Look up night trains")
	b.sees(".sources li", "Night trains are coming back")
	b.sees(".sources li", "trains.example")
	b.shoot("sources")
	b.do("fold the sources", click(".sources summary"), until(`!document.querySelector(".sources details").open`))
	b.do("follow a citation", click(".cite"), until(`(() => { const to = document.querySelector(".sources li:target"); return !!to && to.checkVisibility() && to.innerText.includes("Night trains") })()`))
	b.say("test sources")
	b.sees(".cite-unknown", "[99]")
	for range 2 {
		if n := b.count(`.cite-unknown[title="Not among the sources"]`); n != 1 {
			t.Errorf("%d citations are marked as unknown", n)
		}
		if n := b.count(`a[href*="leak.invalid"], .prose img`); n != 0 {
			t.Errorf("%d links or images would carry data away", n)
		}
		if n := b.count(`.cite`); n != 3 {
			t.Errorf("%d citations lead to sources", n)
		}
		b.shoot("sources-unknown")
		b.do("reload", chromedp.Reload(), visible(".cite-unknown"))
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
