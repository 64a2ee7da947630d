package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/device"
	"github.com/chromedp/chromedp/kb"
)

// slowSend has what the page sends wait until the test lets it go, with whether it arrives, or
// "unheard" for what arrives and whose answer does not.
const slowSend = `(() => {
	const send = window.fetch;
	window.waiting = [];
	window.fetch = async (...args) => {
		const arrives = await new Promise((go) => window.waiting.push(go));
		const answer = arrives && await send(...args);
		if (arrives !== true) throw new TypeError("no network");
		return answer;
	};
	return true;
})()`

// counted counts, at each change of the page once a message stands there, how often it does: said
// has the numbers as they followed each other, and moved by how much the first one ever did.
const counted = `((content) => {
	const all = () => [...document.querySelectorAll("main .said-text")].filter((s) => s.textContent === content);
	const place = () => { const box = all()[0].closest(".said").getBoundingClientRect(); return [box.top + scrollY, box.height]; };
	window.said = [];
	window.moved = 0;
	let at;
	new MutationObserver(() => {
		const n = all().length;
		if ((n || window.said.length) && window.said.at(-1) !== n) window.said.push(n);
		if (n) [at ??= place()], window.moved = Math.max(window.moved, ...place().map((p, i) => Math.abs(p - at[i])));
	}).observe(document.querySelector("main"), { childList: true, subtree: true, attributes: true });
	return true;
})`

// TestBrowserSlowToSend: a message is in its place as soon as it is sent, and only once. Nothing
// that is written while it is on its way gets lost, whether it arrives, fails, is refused, or the
// page is reloaded.
func TestBrowserSlowToSend(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	const (
		field   = `document.querySelector("#composer-text").value`
		sent    = `[...document.querySelectorAll("[data-said]")].map((s) => s.textContent).join("|")`
		sending = `[...document.querySelectorAll("main .sending")].filter((s) => s.checkVisibility() && s.innerText.includes("Sending…")).map((s) => s.querySelector(".said-text").innerText).join("|")`
		busy    = `document.querySelector(".composer-bar [type=submit]").ariaBusy`
		let     = `(window.waiting.shift()(%t), true)`
	)
	b.signIn(adminEmail)
	b.do("lose the network", until(slowSend))
	b.say("first")
	b.do("see it on its way", until(sending+` === "first" && `+busy+` === "true" && `+field+` === ""`), until(`!document.querySelector(".examples").checkVisibility()`))
	b.shoot("sending-first")
	b.do("hear that it failed", until(fmt.Sprintf(let, false)))
	b.sees(".composer .field-error", "Can’t reach the server")
	b.do("begin again", until(`document.querySelector(".examples").checkVisibility() && `+field+` === "first"`), press("\r"), until(`window.waiting.length === 1`), until(fmt.Sprintf(let, true)))
	b.sees(".end", "Done")

	b.do("lose the network", until(slowSend), until(counted+`("second")`))
	b.say("second")
	b.do("see it on its way", until(sending+` === "second" && `+field+` === ""`))
	b.shoot("sending")
	b.do("send nothing else", press("\r"), typing("#composer-text", "more"))
	b.do("keep both", until(`localStorage.getItem("draft:" + document.querySelector("[data-composer]").dataset.draft) === "second\nmore"`))
	b.do("hear that it failed", until(fmt.Sprintf(let, false)))
	b.sees(".composer .field-error", "Can’t reach the server")
	if has := ask[string](b, `[`+field+`, `+sending+`, `+busy+`].join("|")`); has != "second\nmore||" {
		t.Errorf("after a message failed, the field, the transcript, and the button have %q", has)
	}
	b.do("reload", until(`(location.reload(), true)`), until(field+` === "second\nmore"`))

	b.do("have a slow network", until(slowSend), until(counted+`("second\nmore")`))
	b.say("")
	b.do("write the next one meanwhile", until(`window.waiting.length === 1 && `+field+` === ""`), typing("#composer-text", "third"))
	b.do("be through", until(fmt.Sprintf(let, true)))
	b.do("see it sent", until(sent+` === "first|second\nmore" && `+sending+` === "" && !`+busy), visible(".end ~ .end"))
	if has := ask[string](b, field); has != "third" {
		t.Errorf("after it was sent, the field has %q", has)
	}
	if said, moved := ask[[]int](b, `said`), ask[float64](b, `moved`); !slices.Equal(said, []int{1}) || moved > 1 {
		t.Errorf("from its sending on, it stood there %v times, and moved by %v pixels", said, moved)
	}

	b.do("send the next one", press("\r"), until(sending+` === "third"`))
	p.admin().post(strings.TrimPrefix(ask[string](b, `location.pathname`), "/c/"), "test approval")
	b.do("see another one first", visible("[data-card]"), until(`document.querySelector("#transcript").lastElementChild.matches(".sending")`))
	b.do("wait behind it", until(fmt.Sprintf(let, true)), until(`document.querySelector("#queue .queued-text")?.textContent === "third" && `+sending+` === ""`))
	if has := ask[string](b, `[`+field+`, `+sent+`].join(";")`); has != ";first|second\nmore|test approval" {
		t.Errorf("while it waits, the field and the transcript have %q", has)
	}

	b.open("/")
	b.do("be signed out elsewhere", until(`(fetch("/logout", { method: "POST", headers: { "X-CSRF-Token": document.querySelector("[name=csrf-token]").content } }).then(() => (window.out = true)), true)`), until(`window.out`))
	b.say("fourth")
	b.sees(".composer .field-error", "Your session has ended.")
	if has := ask[string](b, field); has != "fourth" {
		t.Errorf("after the session has ended, the field has %q", has)
	}
}

// TestBrowserAnswerLost: a message that was stored without its answer coming through is stored
// once when it is sent again, and what was written to it since is stored too. A new chat whose
// page was stopped on its way is opened, not made, by sending again.
func TestBrowserAnswerLost(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	const (
		field = `document.querySelector("#composer-text").value`
		sent  = `[...document.querySelectorAll("[data-said]")].map((s) => s.textContent).join("|")`
		let   = `(window.waiting.shift()(%s), true)`
		ended = `document.querySelectorAll(".end").length === %d`
	)
	b.signIn(adminEmail)
	b.do("stop the page of the new chat", until(`(() => {
		const listen = window.addEventListener, later = window.setTimeout;
		window.setTimeout = (then, ms, ...args) => later(then, Math.min(ms, 100), ...args);
		window.addEventListener = (type, ...args) => (type === "pagehide" && queueMicrotask(() => window.stop()), listen(type, ...args));
		return true;
	})()`))
	b.say("first")
	b.sees(".composer .field-error", "Can’t reach the server")
	b.do("have it back", until(field+` === "first" && !document.querySelector(".composer-bar [type=submit]").ariaBusy`), until(`(delete window.addEventListener, true)`), press("\r"))
	b.sees(".end", "Done")
	if n := b.count(".chat-link"); n != 1 {
		t.Errorf("there are %d chats", n)
	}

	b.do("lose what the server answers", until(slowSend))
	b.say("second")
	b.do("hear that it failed", until(`window.waiting.length === 1`), until(fmt.Sprintf(let, `"unheard"`)), until(field+` === "second"`), until(fmt.Sprintf(ended, 2)))
	b.do("send it again", press("\r"), until(`window.waiting.length === 1`), until(fmt.Sprintf(let, `true`)), until(field+` === "" && !document.querySelector(".composer-bar [type=submit]").ariaBusy`))
	if has := ask[string](b, sent); has != "first|second" {
		t.Errorf("after it was sent again, the chat has %q", has)
	}
	b.say("third")
	b.do("hear that it failed", until(`window.waiting.length === 1`), until(fmt.Sprintf(let, `"unheard"`)), until(field+` === "third"`), until(fmt.Sprintf(ended, 3)))
	b.say(" and more")
	b.do("send both", until(`window.waiting.length === 1`), until(fmt.Sprintf(let, `true`)), until(field+` === "" && !document.querySelector(".composer-bar [type=submit]").ariaBusy`))
	b.open(ask[string](b, `location.pathname`))
	if has := ask[string](b, sent); has != "first|second|third|third and more" {
		t.Errorf("after more was written, the chat has %q", has)
	}
}

// TestBrowserComposerByTouch: on the keyboard of a screen Enter begins a line, and the button
// sends; with keys beside the screen Enter sends. No field is so small that a phone zooms.
func TestBrowserComposerByTouch(t *testing.T) {
	needsBrowser(t)
	h := startInstance(t)
	b := newBrowser(t, h.url)
	b.signIn(adminEmail)
	const field, sent = `document.querySelector("#composer-text").value`, `[...document.querySelectorAll("[data-said]")].map((s) => s.textContent).join("|")`
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

// TestBrowserQueue: what is written while a run works waits above the field, on every page of the
// chat. It is worked by keys; what is stopped holds it, and it goes on once it is let go.
func TestBrowserQueue(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_DEMO_DELAY=300ms")...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	const (
		waiting = `[...document.querySelectorAll("#queue .queued-text")].map((el) => el.textContent).join()`
		button  = `(document.querySelector("#queue li:nth-child(%d) button[value=%s]").focus(), true)`
	)
	b.open("/")
	b.say("test markdown")
	b.do("see it work", until(`document.querySelector("#run-state")?.dataset.status === "running"`))
	for _, text := range []string{"gone", "What is 2 + 2?", "What is 3 + 3?"} {
		b.say(text)
		b.do("see it wait", until(waiting+`.endsWith("`+text+`")`))
	}
	b.do("move the last one up", until(fmt.Sprintf(button, 3, "up")), press("\r"), until(waiting+` === "gone,What is 3 + 3?,What is 2 + 2?"`))
	b.do("delete the first one", until(fmt.Sprintf(button, 1, "remove")), press("\r"), until(waiting+` === "What is 3 + 3?,What is 2 + 2?"`))
	b.do("edit the last one", click("#queue li:nth-child(2) summary"), until(`(document.querySelector("#queue li:nth-child(2) textarea").value = "What is 4 + 4?", true)`),
		click("#queue li:nth-child(2) button[value=edit]"), until(waiting+` === "What is 3 + 3?,What is 4 + 4?"`))
	b.do("stop", until(`(document.querySelector("#composer-text").focus(), true)`), press(kb.Escape), visible("#queue-resume"))
	b.do("come back", chromedp.Reload(), visible("#queue-resume"), until(waiting+` === "What is 3 + 3?,What is 4 + 4?"`))
	b.shoot("queue-held")
	b.do("let it go on", click("#queue-resume"), until(waiting+` === "" && document.querySelectorAll(".end").length === 3`))
	if got := ask[string](b, `[...document.querySelectorAll("#transcript > .said > [data-said]")].map((el) => el.textContent).join()`); got != "test markdown,What is 3 + 3?,What is 4 + 4?" {
		t.Errorf("said was %q", got)
	}
}
