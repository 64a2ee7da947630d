package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserCards decides cards as a person does it: in the chat, with keys,
// by a form, and back again.
func TestBrowserCards(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_APPROVAL_UNDO_WINDOW=10m")...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")

	b.answersQuestions()
	b.editsADraft()
	b.takesADecisionBack()
	b.editsInTheForm()
	b.readsAChange()
	b.editsInTheChat()
	for _, trouble := range troubles() {
		if !strings.Contains(trouble, "status of 422") { // two answers that are refused on purpose
			t.Error(trouble)
		}
	}
}

func (b *browser) answersQuestions() {
	b.t.Helper()
	b.say("test question")
	b.sees("[data-card] legend", "Choose one")
	b.shoot("question")
	b.do("answer with nothing", click(`[data-card] button[value="answer"]`))
	b.sees("[data-decide-error]", "Choose an option or type an answer.")
	b.sees(".tool", "waiting for an answer")
	b.do("answer", click(`[data-card] input[type="radio"][value="2"]`), click(`[data-card] button[value="answer"]`))
	b.sees(".ask-answer", "Green")
	b.sees(".transcript", "You have chosen: Green")

	b.open("/")
	b.say("test question many")
	b.sees("[data-card] legend", "Choose any")
	b.do("choose two", click(`[data-card] input[type="checkbox"][value="1"]`), click(`[data-card] input[type="checkbox"][value="3"]`), click(`[data-card] button[value="answer"]`))
	b.sees(".transcript", "You have chosen: A summary; A chart")
}

// editsADraft edits the agent's text by keys, and sends it from the field.
func (b *browser) editsADraft() {
	b.t.Helper()
	b.open("/")
	b.say("test draft")
	b.sees("[data-card] .ask-why", "Shall I send this e-mail?")
	b.shoot("draft")
	b.do("write to the agent", typing("textarea[name=content]", "shorter, please\r"))
	b.sees("[data-supersede]", "Cancel it and send")
	b.do("keep waiting", click("[data-keep-waiting]"))
	b.do("edit by key", until(`(() => {
		const card = document.querySelector("[data-card]");
		if (!card.contains(document.activeElement)) card.focus();
		if (document.activeElement === card) card.dispatchEvent(new KeyboardEvent("keydown", { key: "e", bubbles: true, cancelable: true }));
		return document.activeElement.name === "answer";
	})()`))
	b.do("write and send", until(`(() => {
		const field = document.activeElement;
		field.value = field.value.replace("green", "blue") + "\n";
		field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }));
		return true;
	})()`))
	b.sees(".ask-settled .plain", "The new door is blue.")
	b.sees(".transcript .code", "Dear Ms. Wong,\n\nThe new door is blue.")
	b.shoot("draft-sent")
}

// takesADecisionBack approves, undoes it, and sees the card ask again.
func (b *browser) takesADecisionBack() {
	b.t.Helper()
	b.open("/")
	b.say("test approval")
	b.sees("[data-card] .command", "rm -f build")
	b.do("approve", click(`[data-card] button[value="approve"]`))
	b.sees(".ask-after", "Time left to undo")
	b.shoot("undo")
	b.do("undo", click(`.ask-after button`), visible("[data-card]"))
	b.do("ask to replace it", typing("textarea[name=content]", "something else\r"))
	b.sees("[data-supersede]", "Cancel it and send")
	b.shoot("supersede")
	b.do("keep waiting", click("[data-keep-waiting]"), until(`document.querySelector("[data-supersede]").hidden`))
}

// editsInTheForm opens the card with a key, sees an error at its field, and
// approves other arguments.
func (b *browser) editsInTheForm() {
	b.t.Helper()
	b.do("open its page", click(".ask-link"), visible(".decide-page [data-card]"))
	if ask[bool](b, `!!document.getElementById("keys")?.checkVisibility()`) {
		b.t.Error("the dialog of keys is seen without having been asked for")
	}
	// A card that just got the focus takes no key for a moment.
	b.do("edit by key", until(`(() => { document.querySelector("[data-card]").focus(); return true })()`), until(`(() => {
		const box = document.querySelector("[data-edit]");
		if (!box.open) document.querySelector("[data-card]").dispatchEvent(new KeyboardEvent("keydown", { key: "e", bubbles: true, cancelable: true }));
		return box.open;
	})()`), visible(".args-form textarea"))
	b.shoot("args-form")
	b.do("approve what was there before", setArgument("echo other"), click(`button[value="approve"]`))
	b.sees("[data-decide-error]", "You changed the arguments")
	b.do("empty it", setArgument(""), click(`button[value="edit_form"]`))
	b.sees(".args-form .field-error", "at least 1")
	b.shoot("args-error")
	b.do("edit", setArgument("echo edited"), click(`button[value="edit_form"]`))
	b.sees(".just-decided", "Approved with edits")
	b.do("go back to it", click(".just-decided a"))
	b.sees(".ask-settled", "Approved with edits")
	b.shoot("edited")
}

// editsInTheChat approves other arguments and stays where it is.
func (b *browser) editsInTheChat() {
	b.t.Helper()
	b.open("/")
	b.say("test approval")
	b.sees("[data-card] .command", "rm -f build")
	chat := ask[string](b, `location.pathname`)
	b.do("edit", click("[data-edit] > summary"), setArgument("echo in place"), click(`button[value="edit_form"]`))
	b.sees(".ask-settled", "Approved with edits")
	if now := ask[string](b, `location.pathname`); now != chat {
		b.t.Errorf("an edit in the chat leads to %s", now)
	}
}

// readsAChange opens the card of a file that is written, which shows the change
// and what a wider approval would have covered.
func (b *browser) readsAChange() {
	b.t.Helper()
	b.open("/")
	b.say("test files")
	b.sees("[data-card] .diff", "+")
	b.do("open its page", click(".ask-link"), visible(".decide-page [data-card]"), click(".recent summary"))
	b.sees(".recent", "calls to this tool")
	if n := ask[int](b, `[...document.querySelectorAll(".decide-days")].filter((d) => d.checkVisibility()).length`); n != 0 {
		b.t.Error("the days of a standing rule are asked for though none is to be made")
	}
	b.do("choose a rule", until(`(() => { const s = document.querySelector("[name=scope]"); s.value = "always"; return s.value === "always" })()`))
	b.do("see its days", until(`document.querySelector(".decide-days").checkVisibility()`))
	b.shoot("approval-write")
}

// setArgument puts a text into the field of the arguments, in place of what is there.
func setArgument(text string) chromedp.Action[chromedp.Void] {
	return until(fmt.Sprintf(`(() => { const f = document.querySelector(".args-form textarea"); f.value = %q; return f.value === %q })()`, text, text))
}
