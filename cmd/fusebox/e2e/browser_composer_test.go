package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/device"
	"github.com/chromedp/chromedp/kb"
)

// slowSend has what the page sends wait until the test lets it go, with whether it arrives.
const slowSend = `(() => {
	const send = window.fetch;
	window.waiting = [];
	window.fetch = async (...args) => {
		if (!await new Promise((go) => window.waiting.push(go))) throw new TypeError("no network");
		return send(...args);
	};
	return true;
})()`

// TestBrowserSlowToSend: who writes on while a message is on its way loses nothing, neither when
// it arrives, nor when it does not, nor with a reload.
func TestBrowserSlowToSend(t *testing.T) {
	needsBrowser(t)
	h := startInstance(t)
	b := newBrowser(t, h.url)
	const field = `document.querySelector("#composer-text").value`
	b.signIn(adminEmail)
	b.say("first")
	b.sees(".end", "Done")
	b.do("lose the network", until(slowSend))
	b.say("second")
	b.do("find the field empty", until(field+` === ""`))
	b.do("write on", typing("#composer-text", "more"))
	b.do("keep both", until(`localStorage.getItem("draft:" + document.querySelector("[data-composer]").dataset.draft) === "second\nmore"`))
	b.do("hear that it failed", until(`(window.waiting.shift()(false), true)`))
	b.sees(".composer .field-error", "Can’t reach the server")
	if has := ask[string](b, field); has != "second\nmore" {
		t.Errorf("after a message failed, the field has %q", has)
	}
	b.do("reload", until(`(location.reload(), true)`), until(field+` === "second\nmore"`))

	b.do("have a slow network", until(slowSend))
	b.say("")
	b.do("write the next one meanwhile", until(`window.waiting.length === 1 && `+field+` === ""`), typing("#composer-text", "third"))
	b.do("be through", until(`(window.waiting.shift()(true), true)`))
	b.do("see it sent", until(`[...document.querySelectorAll(".said-text")].map((s) => s.textContent).join("|") === "first|second\nmore"`))
	if has := ask[string](b, field); has != "third" {
		t.Errorf("after it was sent, the field has %q", has)
	}
}

// TestBrowserComposerByTouch: on the keyboard of a screen Enter begins a line, and the button
// sends; with keys beside the screen Enter sends. No field is so small that a phone zooms.
func TestBrowserComposerByTouch(t *testing.T) {
	needsBrowser(t)
	h := startInstance(t)
	b := newBrowser(t, h.url)
	b.signIn(adminEmail)
	const field, sent = `document.querySelector("#composer-text").value`, `[...document.querySelectorAll(".said-text")].map((s) => s.textContent).join("|")`
	small := `[...document.querySelectorAll("input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea")].filter((f) => parseFloat(getComputedStyle(f).fontSize) < 16).map((f) => f.name).join()`
	for _, screen := range []chromedp.Device{device.GalaxyS9, device.IPhone14, device.Pixel2landscape, device.IPad} {
		b.do("touch "+screen.Device().Name, chromedp.Emulate(screen), chromedp.Navigate(h.url+"/"), until(`matchMedia("(pointer: coarse)").matches && innerWidth <= 1100`))
		b.do("write two lines", typing("#composer-text", "line1\rline2"), until(field+` === "line1\nline2"`))
		if hint := ask[string](b, `document.querySelector(".composer").innerText`); strings.Contains(hint, "Enter") {
			t.Errorf("%s: the page says %q", screen.Device().Name, hint)
		}
		if names := ask[string](b, small); names != "" || ask[string](b, `document.querySelector("#composer-text").enterKeyHint`) != "enter" {
			t.Errorf("%s: the fields %s are small, or the key has no name", screen.Device().Name, names)
		}
		b.do("send them", click(`.composer [type=submit]`), until(sent+` === "line1\nline2"`))
		b.sees(".end", "Done")
		b.do("write on", typing("#composer-text", "a\r\rb"), until(field+` === "a\n\nb"`))
		b.do("send with Ctrl", press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)), until(sent+` === "line1\nline2|a\n\nb"`))
	}
	for _, page := range []string{"/login", "/", "/approvals", "/settings/account", "/admin/budgets", "/admin/tools", "/admin/guards/thresholds"} {
		b.open(page)
		if names := ask[string](b, small); names != "" {
			t.Errorf("%s: the fields %s are small", page, names)
		}
	}
	b.open("/")
	b.do("write on keys beside the screen", typing("#composer-text", "one"), press(kb.Shift), press("\r"), until(sent+` === "one"`))
	b.do("put the screen away", chromedp.EmulateReset(), chromedp.Navigate(h.url+"/"), until(`!matchMedia("(pointer: coarse)").matches`))
	b.say("two")
	b.do("be heard", until(sent+` === "two"`))
}
