package e2e

import "testing"

// TestBrowserKeepsAChoice: a card that is drawn again, as with a reminder, keeps
// what its reader has chosen. Otherwise they would decide something they did not choose.
func TestBrowserKeepsAChoice(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("test question")
	b.sees("[data-card] legend", "Choose one")
	b.do("choose", click(`[data-card] input[type="radio"][value="2"]`), until(`(document.querySelector("[data-card]").old = true)`))
	p.comesDue(false)
	b.do("be reminded", until(`document.querySelector("[data-card]") && !document.querySelector("[data-card]").old`))
	if !ask[bool](b, `document.querySelector('[data-card] input[type="radio"][value="2"]').checked`) {
		t.Error("the choice was lost when the card was redrawn")
	}
}
