package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fusebox/agent/agenttest"
)

// TestBrowserPrompts: a prompt of a server is found with "/" and the keys, asks for what it
// needs, and becomes text in the field, behind what is written; sent, it is a message.
func TestBrowserPrompts(t *testing.T) {
	needsBrowser(t)
	h := startWithSources(t)
	b := newBrowser(t, h.url)
	troubles := b.watch()
	const field, dialog, greet = `document.querySelector("#composer-text").value`, `.prompts-dialog`, `.prompts-dialog details[open] `
	b.signIn("ana@example.org")
	b.do("open the menu", typing("#composer-text", "/greet"))
	b.sees("#composer-menu", "Greet somebody")
	b.do("take the prompt", press(kb.Enter))
	b.sees(greet, "Greet somebody")
	b.shoot("prompts")
	b.fits("the prompts")
	b.do("leave them", until(`document.activeElement.name === "arg/who"`), press(kb.Escape), until(`!document.querySelector("`+dialog+`")`), until(field+` === ""`))

	b.do("write before", typing("#composer-text", "Please:"), until(field+` === "Please:"`))
	b.do("open them with the button", click("[data-prompts]"), until(`document.activeElement.matches("`+dialog+` summary")`))
	b.do("go to the one", until(`(() => {
		const at = document.activeElement;
		if (at.textContent.includes("Greet somebody")) return true;
		at.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
		return false;
	})()`), press(kb.Enter), visible(greet+"form"))
	b.do("send it without what it needs", click(greet+"[type=submit]"), until(`!!document.querySelector("`+greet+`input:invalid")`))
	b.do("say whom", typing(greet+`input[name="arg/who"]`, "Bo\r"), until(`!document.querySelector("`+dialog+`")`))
	if has := ask[string](b, field); has != "Please:\n\nGreet Bo.\n\n[image image/png, 5 bytes]" {
		t.Errorf("the field has %q", has)
	}
	if b.count("[data-said]") != 0 {
		t.Error("it was sent by itself")
	}
	b.do("send it", until(`document.activeElement.id === "composer-text"`), press("\r"))
	b.sees(".said-text", "Greet Bo.")
	b.sees(".end", "Done")

	b.do("have one that fails", click("[data-prompts]"), until(`[...document.querySelectorAll("`+dialog+` summary")].some((s) => s.textContent.includes("endless") && (s.click(), true))`),
		click(greet+"[type=submit]"))
	b.sees("[data-prompt-problem]", "at most 65536 are taken")
	b.speaks("zh-CN")
	b.open("/prompts")
	b.sees("h1", "MCP 服务器的提示词")
	for _, trouble := range troubles() {
		if !strings.Contains(trouble, "status of 422") { // the one that fails
			t.Error(trouble)
		}
	}
}

// TestBrowserChoices: a server's lists of choices are checkboxes, for the keyboard, on a
// phone, and in Chinese; what does not fit is said at its field and keeps what was checked.
func TestBrowserChoices(t *testing.T) {
	needsBrowser(t)
	h := startWithSources(t)
	b := newBrowser(t, h.url)
	h.model.plays("Plan it", []asked{{"mad__ask_many", `{}`}})
	b.signIn("ana@example.org")
	b.say("Plan it")
	b.sees(".tool", "needs approval")
	var card map[string]any
	agenttest.Eventually(t, "the card of the call", func() bool {
		items := h.rex.must("GET", "/api/v1/approvals?status=pending", "")["items"].([]any)
		if len(items) == 1 {
			card = items[0].(map[string]any)
		}
		return len(items) == 1
	})
	decides(h.rex, card, `{"decision":"approve"}`)
	const box = `[data-card] input[type=checkbox][name="arg/days"]`
	b.sees("[data-card] legend", "Days")
	b.shoot("choices")
	b.fits("choices")
	b.do("reach a box by its label and the keyboard", until(`[...document.querySelectorAll("[data-card] label")].some((l) => l.textContent === "Monday")`),
		until(`(document.querySelector('`+box+`[value=\'"tue"\']').focus(), document.activeElement.checked)`), press(" "), until(`!document.activeElement.checked`))
	b.speaks("zh-CN")
	b.do("answer too little", click(`[data-card] button[value=answer]`), until(`location.pathname.startsWith("/approvals/")`))
	b.sees(".field-error", "至少需要 2 项")
	b.sees(".hint", "请选择 2 到 3 项")
	b.do("check two", click(box+`[value='"mon"']`), click(box+`[value='"wed"']`), click(`[data-card] input[type=checkbox][value='"red"']`))
	b.do("answer", click(`[data-card] button[value=answer]`))
	agenttest.Eventually(t, "the run's end", func() bool {
		run := h.ana.must("GET", "/api/v1/runs/"+card["runId"].(string), "")
		return run["status"] == "finished"
	})
	h.conversationOf[card["runId"].(string)] = card["conversationId"].(string)
	if got := h.results(card["runId"].(string)); len(got) != 1 || got[0] != `accept {"days":["mon","wed"],"tags":["red"]}` {
		t.Errorf("the server heard %q", got)
	}
}

// TestBrowserPictures: pictures of results are seen in the chat at once and after a reload,
// within the width of a phone, and open alone.
func TestBrowserPictures(t *testing.T) {
	needsBrowser(t)
	h := startWithSources(t)
	b := newBrowser(t, h.url)
	troubles := b.watch()
	h.model.plays("Look", []asked{photoOf("png", 1), photoOf("jpeg", 2)})
	b.signIn("ana@example.org")
	b.say("Look")
	b.sees(".end", "Done")
	seen := until(`(() => {
		const all = [...document.querySelectorAll(".tool .pictures img")];
		return all.length === 2 && all.every((img) => img.complete && img.naturalWidth === 64 && img.checkVisibility());
	})()`)
	b.do("see the pictures", seen)
	b.do("see them after a reload", until(`(location.reload(), true)`), seen)
	b.shoot("pictures")
	b.fits("pictures")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
	// Chromium styles a picture alone in a way that its own policy forbids: it is not listened to.
	b.do("open one", until(`(location.assign(document.querySelector(".pictures a").href), true)`), until(`document.images.length === 1 && document.images[0].naturalWidth === 64`))
}
