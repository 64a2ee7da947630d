package e2e

import "testing"

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
