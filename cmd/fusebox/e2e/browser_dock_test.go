package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserChatDock is what a person does below the messages: stop a run that works
// or waits and bring it back, answer a question, read the breakers, choose how to go on.
func TestBrowserChatDock(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")

	b.stopsAWaitingRun()
	b.answersByWriting()
	b.readsTheBreakers()
	b.findsTheKeys()
	b.choosesAtTheComposer()
	b.seesTheLimitThatBinds(p.admin())
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// stopsAWaitingRun: the dock leads to the card and offers nothing of what that does; a key
// asks there, and asks only. What was stopped comes back, in this tab and after a reload,
// until its ten seconds are over, with one button and one clock, and no question is open.
func (b *browser) stopsAWaitingRun() {
	b.t.Helper()
	b.say("test approval")
	b.sees("[data-card] .command", "rm -f build")
	b.sees("#run-state", "Waiting for you")
	if n := b.count("#run-state :is(button, form, summary)"); n != 0 {
		b.t.Errorf("the dock repeats %d decisions", n)
	}
	b.do("go to the card", click("#to-card"), until(`document.activeElement.matches("[data-card]")`), until(covered+` === ""`))

	const asks, back = `document.activeElement.matches('[data-card] [value="abort"]')`, `document.activeElement.id === "composer-text"`
	b.do("press Esc", press(kb.Escape), until(asks), until(covered+` === ""`))
	b.do("press Esc again", press(kb.Escape), until(back))
	b.do("press Esc and Enter", press(kb.Escape), until(asks), press("\r"))
	b.sees("[data-card]", "Press again")
	b.do("reload", chromedp.Reload(), visible("[data-card]"))
	b.shoot("stop")

	b.say("something else")
	b.do("be asked", visible("[data-supersede]"))
	b.aborts()
	b.sees(".ask-settled", "Run aborted")
	b.shoot("stopping")
	b.bringsBack()
	b.aborts()
	b.do("reload", chromedp.Reload(), visible(".ask-after"))
	b.bringsBack()
	b.aborts()
	b.do("let it end", visible(".end"))
	b.sees(".end", "Stopped")
	b.sees("#live", "Stopped")
}

// aborts ends the run on the card, which asks once.
func (b *browser) aborts() {
	b.t.Helper()
	const button = `[data-card] [value="abort"]`
	b.do("abort", click(button), click(button), visible(".ask-after"))
	b.sees("#run-state", "Stopping")
	b.do("see one clock", until(`[...document.querySelectorAll(".main [data-until]")].filter((el) => el.checkVisibility()).length === 1`))
	if n := b.count(".main [action$='/undo']"); n != 1 {
		b.t.Errorf("%d buttons bring it back", n)
	}
}

// bringsBack undoes that: the card asks as it did, and nothing else does.
func (b *browser) bringsBack() {
	b.t.Helper()
	b.sees(".ask-after", "Bring it back")
	b.do("bring it back", click(".ask-after button"), visible("[data-card]"), until(`!("aborting" in document.querySelector("#run-state").dataset)`))
	if open := ask[[]string](b, `[...document.querySelectorAll("details.confirm[open], [data-supersede]:not([hidden]), [data-sure], [data-problem]:not([hidden])")].map((el) => el.textContent)`); len(open) > 0 {
		b.t.Errorf("a question is open: %q", open)
	}
}

// watchShifts adds up how far the page shifts by itself from now on.
const watchShifts = `(() => {
	window.shift = 0;
	const add = (seen) => { for (const e of seen.getEntries()) if (!e.hadRecentInput) window.shift += e.value; };
	new PerformanceObserver(add).observe({ type: "layout-shift" });
	return true;
})()`

// answersByWriting answers the agent's question where messages are written.
func (b *browser) answersByWriting() {
	b.t.Helper()
	b.open("/")
	b.say("test question")
	b.do("see the question", visible("[data-card]"), until(`document.querySelector("#composer-text").placeholder.startsWith("Answer")`))
	b.do("look at it on a phone", chromedp.EmulateViewport(390, 844), until(`innerWidth === 390`))
	taken := ask[float64](b, `document.querySelector(".dock").offsetHeight + document.querySelector(".topbar").offsetHeight`)
	if taken > 0.25*844 || ask[bool](b, `getComputedStyle(document.querySelector(".chat-head")).position === "sticky"`) {
		b.t.Errorf("head and dock take %v of 844 pixels while a card waits", taken)
	}
	b.do("watch what moves", until(watchShifts))
	b.say("Green")
	b.sees(".ask-answer", "Green")
	b.sees(".transcript", "You have chosen: Green")
	b.sees("#live", "Done")
	if shift := ask[float64](b, `window.shift`); shift > 0.02 {
		b.t.Errorf("the page has shifted by %v", shift)
	}
	const rows = `document.querySelector("#composer-mode").checkVisibility()`
	if ask[bool](b, rows) {
		b.t.Error("the message field has grown by itself when the run ended")
	}
	b.do("go on writing", typing("#composer-text", "a"), until(rows), typing("#composer-text", kb.Backspace))
	b.do("back to the full width", chromedp.EmulateViewport(1440, 900), until(`innerWidth === 1440`))
}

// readsTheBreakers: one line while all is well, and for each meter what it measures.
func (b *browser) readsTheBreakers() {
	b.t.Helper()
	b.sees(".fuses-quiet summary", "Well within all limits")
	b.do("open the panel", click(".fuses-quiet summary"), click("#fuses-steps"), visible("#fuses-about-steps"))
	b.sees("#fuses-about-steps", "At the limit, the run ends")
	b.do("close it", press(kb.Escape), until(`!document.querySelector(":popover-open")`))
	b.open("/")
	b.say("2+2")
	b.sees(".end", "Done")
	b.say("test dead loop") // in a chat that is open: what the page came with is not announced
	b.do("see it trip", visible("[data-card]"), visible(".fuse-tripped a.fuse-word"))
	if b.count(".fuses-quiet") != 0 {
		b.t.Error("the panel of a tripped breaker is folded")
	}
	b.sees("#live", "Breaker warning")
	if shadow := ask[string](b, `getComputedStyle(document.querySelector(".skip")).boxShadow`); shadow != "none" {
		b.t.Errorf("the hidden link casts a shadow: %s", shadow)
	}
}

func (b *browser) findsTheKeys() {
	b.t.Helper()
	b.do("ask for the keys", until(`(document.activeElement.blur(), true)`), press("?"), visible("#chat-keys"))
	b.sees("#chat-keys", "asks first")
	b.do("close them", press(kb.Escape), until(`!document.querySelector(":popover-open")`))
	if ask[bool](b, `document.activeElement.matches('[value="abort"]')`) {
		b.t.Error("the key that closed the list asked to stop the run")
	}
}

// choosesAtTheComposer changes what is asked first, and opens the menu, whose end is in
// the window.
func (b *browser) choosesAtTheComposer() {
	b.t.Helper()
	b.do("allow edits", chromedp.SetValue(chromedp.CSS("#composer-mode"), "auto_edit"), until(`document.querySelector("#composer-mode").dispatchEvent(new Event("change", { bubbles: true }))`))
	b.sees("#live", "from your next message")
	b.do("reload", chromedp.Reload(), visible("#composer-mode"))
	if mode := ask[string](b, `document.querySelector("#composer-mode").value`); mode != "auto_edit" {
		b.t.Errorf("the chat has the mode %s", mode)
	}
	b.do("open the menu", click("#chat-menu > summary"), click("#chat-breakers summary"), click(".menu-body .confirm summary"))
	if !ask[bool](b, `(() => { const m = document.querySelector("#chat-menu .menu-body"); return m.getBoundingClientRect().bottom <= innerHeight; })()`) {
		b.t.Error("the menu runs off the screen")
	}
}

// seesTheLimitThatBinds: a budget of an admin below the run's own limit is the one in the
// panel, also once it has paused the run.
func (b *browser) seesTheLimitThatBinds(admin api) {
	b.t.Helper()
	admin.must("POST", "/api/v1/budgets", `{"who":"run","window":"run","limitTokens":20000,"atLimit":"pause"}`)
	b.open("/")
	b.say("test budget")
	b.do("see it trip", visible("[data-card]"), visible(".fuse-tripped"))
	b.sees("#fuses-tokens", "/20k")
	b.do("read about it", click("#fuses-tokens"), visible("#fuses-about-tokens"))
	b.sees("#fuses-about-tokens", "budget set by an admin: This run")
	b.do("reload", chromedp.Reload(), visible(".fuse-tripped"))
	b.sees("#fuses-tokens", "/20k")
	b.open(ask[string](b, `document.querySelector(".ask-link").getAttribute("href")`))
	b.sees("#fuses-tokens", "/20k")
}
