package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fusebox/agent/agenttest"
)

// signIn opens a session of a person.
func (b *browser) signIn(email string) *browser {
	b.t.Helper()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", email), typing("input[name=password]", adminPassword+"\r"))
	b.sees(".who .email", email)
	return b
}

// TestBrowserTwoReviewers: two people at two browsers look at the same card. One
// decides; the other's card settles by itself and says who. Reload, restart and
// reconnect keep a card that waits; its diff and its form are shown; its keys
// work, and a key that was meant for something else decides nothing.
func TestBrowserTwoReviewers(t *testing.T) {
	needsBrowser(t)
	h := startInstance(t, "FUSEBOX_ADDR="+ownAddress())
	rex, ria := newBrowser(t, h.url).signIn("rex@example.org"), newBrowser(t, h.url).signIn("ria@example.org")

	rex.open("/approvals")
	rex.sees("main", "all caught up")
	run := h.asks(t, []asked{{"write_file", `{"path":"notes.md","content":"first\nsecond\n"}`}})
	card := h.card(t, run)
	page := "/approvals/" + card["id"].(string)
	rex.sees(".inbox-link", "Write notes.md") // it arrived by itself
	rex.open(page)
	ria.open(page)
	rex.sees(".diff-add", "second")
	rex.opensTheForm()

	// The server dies and comes back: the card waits on, on a page that nobody has touched.
	h.restart(t)
	ria.reconnects(h.url, page)
	ria.do("reload", chromedp.Reload(), visible("[data-card]"))

	rex.url = h.url
	rex.open(page)
	rex.do("approve", click(`[data-card] button[value="approve"]`))
	rex.sees(".just-decided", "Approved")
	ria.sees(".ask-settled", "rex@example.org")
	if n := ria.count("[data-card] form[data-decide]"); n != 0 {
		t.Errorf("%d forms can still be sent", n)
	}
	ria.shoot("approval-settled-by-another")
	h.ana.rests(run)
	if got := h.left(t, run, "notes.md"); got != "first\nsecond\n" {
		t.Errorf("it wrote %q", got)
	}
	keysDecideOnlyHere(t, h, ria)
}

// opensTheForm opens the arguments as a form and as JSON.
func (b *browser) opensTheForm() {
	b.t.Helper()
	b.do("open the form", chromedp.Click(chromedp.CSS("[data-edit] > summary")), visible(`[data-edit] [name="arg/path"]`))
	if got := ask[string](b, `document.querySelector('[data-edit] [name="arg/path"]').value`); got != "notes.md" {
		b.t.Errorf("the form says %q, want notes.md", got)
	}
	b.shoot("approval-diff-form")
}

// reconnects waits until the page's socket is open again.
func (b *browser) reconnects(url, page string) {
	b.t.Helper()
	b.url = url
	b.do("reconnect", until(`document.querySelector("[data-card]") !== null`))
	b.open(page)
}

// keysDecideOnlyHere: a key decides on a card that has the focus, and not within
// the moment after it got it; typed anywhere else it decides nothing.
func keysDecideOnlyHere(t *testing.T, h *instance, b *browser) {
	t.Helper()
	h.model.plays("keys", []asked{sh("echo x >> out")})
	h.conversationOf["keys"], _ = h.ana.ask("keys")
	var id string
	agenttest.Eventually(t, "the card", func() bool {
		for _, item := range h.rex.must("GET", "/api/v1/approvals?status=pending", "")["items"].([]any) {
			id = fmt.Sprint(item.(map[string]any)["id"])
		}
		return id != ""
	})
	b.open("/approvals/" + id)
	b.do("wait for the card", visible("[data-card]"))
	const press = `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: true, cancelable: true}))`
	ask[bool](b, `(document.activeElement.blur(), `+press+`)`)
	ask[bool](b, `(document.querySelector("[data-card]").focus(), `+press+`)`)
	if b.count("form[data-decide]") == 0 {
		t.Fatal("a key in the dead time decided")
	}
	if status := h.rex.must("GET", "/api/v1/approvals/"+id, "")["status"]; status != "pending" {
		t.Fatalf("the card is %v after keys that were meant for something else", status)
	}
	b.do("let the dead time pass", chromedp.Sleep(800*time.Millisecond))
	ask[bool](b, press)
	b.sees(".just-decided", "Approved by ria@example.org")
}
