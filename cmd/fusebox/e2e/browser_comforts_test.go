package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fusebox/agent/agenttest"
)

// TestBrowserMenus: "/" and "@" offer what fits, with the keys alone; what is taken goes along
// with the message that it was chosen for.
func TestBrowserMenus(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), atOnce)...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.signIn(adminEmail)
	const field, active = `document.querySelector("#composer-text").value`, `document.getElementById(document.querySelector("#composer-text").getAttribute("aria-activedescendant"))?.textContent`
	b.do("ask for a tool", typing("#composer-text", "/weath"), until(active+`?.startsWith("get_weather")`))
	b.do("leave it", press(kb.Escape), until(`!document.querySelector("#composer-menu").checkVisibility()`), until(field+` === "/weath"`))
	b.do("ask again", typing("#composer-text", "e"), until(active+`?.startsWith("get_weather")`), press(kb.Enter), until(field+` === "Use the tool get_weather: "`))
	b.do("send it", typing("#composer-text", "Guangzhou\r"))
	b.sees(".end", "Done")
	b.do("name an agent", typing("#composer-text", "Please, @anal"), until(active+`?.startsWith("analyst")`), press(kb.Tab))
	b.do("see it", until(field+` === "Please, " && document.querySelector("[data-agent] input").value === "analyst"`))
	b.fits("the menu")
	b.do("send it", typing("#composer-text", "hello\r"), until(`document.querySelectorAll(".end").length === 2`), until(`document.querySelector("[data-agent]").hidden`))
	b.do("write an address", typing("#composer-text", "me@analyst"), until(`!document.querySelector("#composer-menu").checkVisibility()`), until(`(document.querySelector("#composer-text").value = "", true)`))
	conversation := strings.TrimPrefix(ask[string](b, `location.pathname`), "/c/")
	if starts := ofType(p.admin().events(conversation, 0), "run-start"); len(starts) != 2 || starts[0]["agent"] != nil || starts[1]["agent"] != "analyst" {
		t.Errorf("runs began as %v", starts)
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserLongPaste: a long text is a document of the message, or text after all; then
// nothing is left of the document.
func TestBrowserLongPaste(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), atOnce)...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	const field = `document.querySelector("#composer-text").value`
	paste := func(lines string) chromedp.Action[chromedp.Void] {
		return until(`(() => {
			const clipboardData = new DataTransfer();
			clipboardData.setData("text/plain", "A line of numbers.\n".repeat(` + lines + `));
			document.querySelector("#composer-text").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
			return true;
		})()`)
	}
	b.do("paste", typing("#composer-text", "Look: "), paste("300"), until(`document.querySelector("[data-document-show]").textContent.startsWith("Pasted text")`), visible("[data-pasted] button"))
	documents := func() int { return len(p.admin().must("GET", "/api/v1/documents", "")["items"].([]any)) }
	if n := documents(); n != 1 || ask[string](b, field) != "Look: " {
		t.Errorf("%d documents, the field has %q", n, ask[string](b, field))
	}
	b.do("want text", click("[data-pasted] button"), until(field+`.length === 6 + 300 * 19`), until(`document.querySelector("[data-document]").hidden`))
	agenttest.Eventually(t, "no document to be left", func() bool { return documents() == 0 })
	b.do("empty the field", until(`(document.querySelector("#composer-text").value = "", true)`), paste("3"))
	if has := ask[bool](b, `document.querySelector("[data-document]").hidden`); !has {
		t.Error("a short text became a document")
	}
}

// TestBrowserInputMethod: the Enter that ends a word sends nothing, the next one sends once.
func TestBrowserInputMethod(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), atOnce)...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	b.say("hello")
	b.sees(".end", "Done")
	const sent = `[...document.querySelectorAll("#transcript .said-text")].map((s) => s.textContent).join("|")`
	enter := func(how string) chromedp.Action[chromedp.Void] {
		return until(`(document.querySelector("#composer-text").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ` + how + ` })), true)`)
	}
	b.do("compose", typing("#composer-text", "你好"), enter("isComposing: true"), enter("keyCode: 229"), enter("shiftKey: true"))
	if has := ask[string](b, sent); has != "hello" {
		t.Errorf("the chat has %q", has)
	}
	b.do("send", enter("keyCode: 13"), until(sent+` === "hello|你好"`), until(`document.querySelectorAll(".end").length === 2`))
}

// TestBrowserNames: the title that a model gives comes live, and a chat is renamed in the list
// with the keys, for other tabs too.
func TestBrowserNames(t *testing.T) {
	needsBrowser(t)
	model, p, _ := startTitling(t, func(string) (int, map[string]any) { return said("Trains by night") })
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.signIn(adminEmail)
	b.say("Which trains go at night?")
	const names = `[document.querySelector("#chat-name")?.textContent, document.querySelector("#open-title")?.textContent, document.querySelector("#chat-title")?.value].join("|")`
	b.do("see the title", until(names+` === "Trains by night|Trains by night|Trains by night"`), until(`document.title.includes("Trains by night")`))
	model.may <- struct{}{}
	b.sees(".end", "Done")
	b.do("rename it", until(`(document.querySelector(".chat-link[aria-current]").focus(), true)`), press(kb.F2), until(`document.activeElement.matches(".rename-field")`), press("x"), press(kb.Escape), until(`document.activeElement.matches(".chat-link")`))
	b.do("rename it", press(kb.F2), until(`document.activeElement.matches(".rename-field")`), press("N"), press("o"), press("w"), press(kb.Enter))
	b.do("see it", until(names+` === "Now|Now|Now"`), until(`document.activeElement.matches(".chat-link")`))
	conversation := strings.TrimPrefix(ask[string](b, `location.pathname`), "/c/")
	p.admin().must("PATCH", "/api/v1/conversations/"+conversation, `{"title":"Elsewhere"}`)
	b.do("hear of another tab", until(names+` === "Elsewhere|Elsewhere|Elsewhere"`))
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserModelChoice: models are found and chosen in a dialog, with the keys alone, in a new
// chat and in one that goes on.
func TestBrowserModelChoice(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), atOnce)...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	choose := func(words, model string) {
		t.Helper()
		b.do("open the models", until(`(document.querySelector("#model-button").focus(), true)`), press(kb.Enter))
		b.sees(".models-dialog", "per million tokens")
		b.fits("the models")
		b.do("find "+model, typing(".models-dialog input", words), until(`document.querySelectorAll(".models-dialog li").length === 1`), press(kb.Enter))
		b.do("have chosen it", until(`!document.querySelector(".models-dialog") && document.activeElement.id === "model-button" && document.activeElement.textContent === "`+model+`"`))
	}
	choose("mistral", "demo:mistral")
	b.say("hello")
	b.sees(".end", "Done")
	choose("qwen", "demo:qwen")
	conversation := strings.TrimPrefix(ask[string](b, `location.pathname`), "/c/")
	agenttest.Eventually(t, "the model to be stored", func() bool {
		return p.admin().must("GET", "/api/v1/conversations/"+conversation, "")["model"] == "demo:qwen"
	})
}

// TestBrowserEstimate: what takes much of the window is estimated before it is sent.
func TestBrowserEstimate(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), atOnce, "FUSEBOX_MODEL_CONTEXT_WINDOW=10000")...)
	b := newBrowser(t, p.url)
	b.signIn(adminEmail)
	const written = `(document.querySelector("#composer-text").value = %s, document.querySelector("#composer-text").dispatchEvent(new Event("input", { bubbles: true })), true)`
	b.do("write much", until(strings.Replace(written, "%s", `"电".repeat(6000)`, 1)))
	b.sees("[data-estimate]", "About 6K tokens (60%)")
	b.do("write less", until(strings.Replace(written, "%s", `"pump ".repeat(100)`, 1)), until(`!document.querySelector("[data-estimate]").checkVisibility()`))
}
