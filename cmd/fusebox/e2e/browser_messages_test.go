package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fusebox/store/storetest"
)

// TestBrowserMessages: answers are quoted in whole and in part, rated with a reason that an admin
// sees, and read aloud; what is said is written.
func TestBrowserMessages(t *testing.T) {
	needsBrowser(t)
	model := saying(t, func() string { return "First **line**.\n\n第二行。\n\n```sh\nls\n```\n" })
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+model+"/v1", "FUSEBOX_MODEL=scripted")...)
	b := newBrowser(t, p.url).signIn(adminEmail)
	b.say("speak")
	b.sees(".end", "Done")
	const field = `document.querySelector("#composer-text").value`
	quoted := func(want string) {
		t.Helper()
		b.do("quote", click(".answer [data-quote]"), until(field+` !== ""`), until(`document.activeElement.id === "composer-text" && document.activeElement.selectionStart === `+field+`.length`))
		if got := ask[string](b, field); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	quoted("> First **line**.\n>\n> 第二行。\n>\n> ```sh\n> ls\n> ```\n\n")
	b.do("select a word", until(`(() => {
		document.querySelector("#composer-text").value = "";
		const word = document.querySelector(".answer strong").firstChild;
		getSelection().setBaseAndExtent(word, 0, word, 4);
		return true;
	})()`))
	quoted("> line\n\n")

	b.do("rate", click(".answer [data-thumb=down]"), until(`document.activeElement.name === "reason"`), typing(".answer [name=reason]", "It is short."), click(".rate .btn-primary"),
		until(`document.querySelector("#live").textContent.includes("Your feedback is saved")`))
	b.do("reload", chromedp.Reload(), until(`document.querySelector(".answer [data-thumb=down]").ariaPressed === "true"`))
	b.open("/admin/feedback")
	b.sees(".table tbody", "It is short.")
	b.do("go to the answer", click(".table tbody a"), visible(".answer [data-thumb=down]"))
	chat := ask[string](b, `location.pathname`)
	b.do("take it back", click(".answer [data-thumb=down]"), until(`document.querySelector(".answer [data-thumb=down]").ariaPressed === "false"`))
	b.open("/admin/feedback")
	b.sees("main", "No feedback yet")
	b.open(chat)

	b.do("listen", until(`(() => {
		window.spoken = [];
		speechSynthesis.speak = (said) => window.spoken.push(said.lang + " " + said.text);
		return true;
	})()`), click("[data-aloud]"), until(`document.querySelector("[data-aloud]").ariaPressed === "true"`))
	if got := ask[string](b, `window.spoken.join("|")`); got != "en First line.|zh-CN 第二行。|en Code block, 1 line" {
		t.Error(got)
	}
	b.do("be quiet", click("[data-aloud]"), until(`document.querySelector("[data-aloud]").ariaPressed === "false"`))

	b.do("dictate", until(`(() => {
		window.webkitSpeechRecognition.prototype.start = function () { window.ears = this; };
		document.querySelector("#composer-text").value = "Say";
		return true;
	})()`), click("[data-dictate]"), until(`window.ears?.lang === "en"`), until(`(window.ears.onresult({ results: [[{ transcript: "hello" }], [{ transcript: " you" }]] }), true)`))
	if got := ask[string](b, field); got != "Say hello you" {
		t.Errorf("%q", got)
	}
	b.do("send", press("\r"), until(`document.querySelector("[data-dictate]").ariaPressed === "false"`), until(field+` === ""`))
	b.do("hear something late", until(`(window.ears.onresult({ results: [[{ transcript: "late" }]] }), true)`))
	if got := ask[string](b, field); got != "" {
		t.Errorf("%q", got)
	}
	b.sees(".said", "Say hello you")
}

// TestBrowserFind: words are found in all of a long chat, with keys alone; so are the person's own messages.
func TestBrowserFind(t *testing.T) {
	needsBrowser(t)
	data := t.TempDir()
	onlyAdmin.put(t, data)
	chat := storetest.History{Runs: 80, Conversations: 1, Users: 1, Days: 1, End: time.Now(), Owner: adminEmail}
	must(t, chat.Fill(t.Context(), filepath.Join(data, "fusebox.db")))
	b := newBrowser(t, startEmpty(t, data).url)
	troubles := b.watch()
	b.open("/login?next=/c/conversation-0")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"), visible("#composer-text"))
	const inWindow = `(() => { const box = document.querySelector(".found")?.getBoundingClientRect(); return !!box && box.top >= 0 && box.top < innerHeight; })()`
	says := func(count string) chromedp.Action[chromedp.Void] {
		return until(`document.querySelector("[data-find] output").textContent === "` + count + `" && ` + inWindow)
	}
	find := press("F", chromedp.KeyModifiers(chromedp.ModifierCtrl, chromedp.ModifierShift))
	b.do("find", find, until(`document.activeElement.matches("[data-find] input")`), press("TURN 79,"), says("2 of 2"))
	b.shoot("chat-find")
	b.do("find what is not on the page", until(`(document.querySelector("[data-find] input").select(), true)`), typing("[data-find] input", "turn 3,"), says("2 of 2"), until(`document.querySelector(".found").id === "m-m000000003d"`))
	b.showsTurnsFrom(0)
	b.do("the one before", press("\r"), says("1 of 2"), until(`document.querySelector(".found").id === "m-m000000003a"`))
	b.do("and around", click("[data-find] [data-step='-1']"), says("2 of 2"), click("[data-find] [data-step='1']"), says("1 of 2"))
	b.do("find nothing", until(`(document.querySelector("[data-find] input").select(), true)`), typing("[data-find] input", "nowhere"), until(`document.querySelector("[data-find] output").textContent === "Nothing found" && !document.querySelector(".found")`))
	b.do("close", press(kb.Escape), until(`document.querySelector("[data-find]").hidden && document.activeElement.id === "composer-text"`))
	b.do("by the menu", click("#chat-menu > summary"), click("[data-find-open]"), until(`document.activeElement.matches("[data-find] input")`), press(kb.Escape))

	const at = `document.activeElement.closest(".said")?.id`
	b.do("to the newest", press(kb.Escape), press(kb.End, chromedp.KeyModifiers(chromedp.ModifierAlt)), until(`document.scrollingElement.scrollHeight - scrollY - innerHeight < 90`))
	b.do("to my last message", until(`(document.querySelector("#composer-text").focus(), true)`), press(kb.ArrowUp, chromedp.KeyModifiers(chromedp.ModifierAlt)), until(at+` === "m-m000000079a"`),
		press(kb.ArrowUp, chromedp.KeyModifiers(chromedp.ModifierAlt)), until(at+` === "m-m000000078a"`), press(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierAlt)), until(at+` === "m-m000000079a"`),
		click("[data-jump='-1']"), until(at+` === "m-m000000078a" || `+at+` === "m-m000000079a"`))
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
