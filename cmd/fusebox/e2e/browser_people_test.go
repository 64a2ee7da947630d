package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// thinkingModel is a configuration whose only model can think.
func thinkingModel(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fusebox.toml")
	text := fmt.Sprintf("[[providers]]\nname = \"box\"\nbase_url = %q\n[[providers.models]]\nname = \"scripted\"\nthinking = true\nprice = { input = 1.0, output = 2.0 }\n", url)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestBrowserOutputs: a person declares outputs, instructions, limits, and how the model
// thinks; what a run delivers stands in a table that is there live and after a reload, and
// the clipboard has all of it.
func TestBrowserOutputs(t *testing.T) {
	needsBrowser(t)
	model, url := startModel(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_CONFIG="+thinkingModel(t, url), "FUSEBOX_MODEL=box/scripted")...)
	b := newBrowser(t, p.url).signIn(adminEmail)
	model.plays("hello")
	model.plays("deliver",
		[]asked{{"emit_value", `{"name":"price","value":12.5}`}, {"emit_value", `{"name":"note","value":"two\nlines\tand a tab"}`}},
	)
	b.say("hello")
	b.sees(".transcript", "Done")
	b.do("settings", click("#chat-menu > summary"), click(`#chat-menu a[href$="/setup"]`))
	b.sees("h1", "Instructions, limits, and outputs")
	b.do("fill", typing("#system", "Be brief."), typing("#runTokenLimit", "50k"), typing("#runCostLimitMicros", "0.50"),
		chromedp.SetValue(chromedp.CSS("#thinking"), "on"), typing("#thinkingTokens", "1000"),
		typing("tr:nth-child(1) [name=output_name]", "price"), chromedp.SetValue(chromedp.CSS("tr:nth-child(1) [name=output_type]"), "number"),
		typing("tr:nth-child(1) [name=output_for]", "What it costs in dollars"), typing("tr:nth-child(2) [name=output_name]", "note"))
	b.shoot("chat-setup")
	b.do("save", click("form.stack button[type=submit]"))
	b.sees(".flash", "Saved")
	b.say("deliver")
	b.sees(".outputs", "What it costs in dollars")
	for _, when := range []string{"live", "reloaded"} {
		if got := b.text(".outputs tbody"); !strings.Contains(got, "12.5") || !strings.Contains(got, "two") {
			t.Errorf("%s: %s", when, got)
		}
		b.do("take what is copied", until(`(() => {
			navigator.clipboard.writeText = (text) => ((window.copied = text), Promise.resolve());
			return true;
		})()`), click(".outputs [data-copy]"), until(`window.copied !== undefined`))
		want := "Name\tType\tWhat for\tValue\nnote\tstring\t\t\"two\nlines\tand a tab\"\nprice\tnumber\tWhat it costs in dollars\t12.5\n"
		if got := ask[string](b, `window.copied`); got != want {
			t.Errorf("%s: copied %q", when, got)
		}
		b.do("reload", chromedp.Reload(), visible(".outputs"))
	}
	b.shoot("chat-outputs")
	body := model.last("deliver")
	for _, part := range []string{`"reasoning_effort":"low"`, "Be brief.", "price (number: What it costs in dollars)"} {
		if !strings.Contains(body, part) {
			t.Errorf("the request lacks %s: %s", part, body)
		}
	}
	b.do("the run", click("#transcript > :last-child a[href^='/runs/']"))
	b.sees(".outputs", "12.5")
	b.sees(".run-call", "emit_value")
	b.do("down", until(`(() => { document.querySelector(".run-step").scrollIntoView(); return true; })()`))
	b.shoot("run-steps")
	b.open("/admin/budgets")
	b.do("the rules", until(`(() => { document.querySelector("#chat-rules").scrollIntoView(); return true; })()`))
	b.shoot("chat-rules")
}

// TestBrowserTakeover: a person takes over from the agent's wish, and from a run that
// waits, and finds their text as the answer.
func TestBrowserTakeover(t *testing.T) {
	needsBrowser(t)
	h := startInstance(t)
	h.model.plays("hand over", []asked{{"hand_over", `{"reason":"I have no key to the archive.","confidence":0.3}`}})
	h.model.plays("tidy up", []asked{sh("rm notes.txt")})
	h.model.plays("count", []asked{sh("seq 1 20000")})
	b := newBrowser(t, h.url).signIn("ana@example.org")
	b.say("hand over")
	b.sees("[data-card]", "The agent asks you to take over")
	b.sees("[data-card]", "30% sure")
	b.shoot("hand-over")
	b.do("take over", typing("[data-card] [id$=takeover]", "Here is what the archive says."), click("[data-card] [value=takeover]"))
	b.sees(".transcript", "Here is what the archive says.")
	b.sees(".transcript", "Taken over by ana@example.org")
	b.open("/")
	b.say("tidy up")
	b.sees("[data-card]", "rm notes.txt")
	b.shoot("run-may-be-taken-over")
	b.stopsWhatOthersDecide()
	b.do("take over", click("#run-state a[href$='/takeover']"))
	b.sees("h1", "Take over")
	b.do("send nothing", click("form.card button[type=submit]"))
	b.sees(".field-error", "Write the answer first")
	b.shoot("takeover")
	b.do("send", typing("#answer", "I tidied up myself."), click("form.card button[type=submit]"))
	b.sees(".transcript", "I tidied up myself.")
	b.sees(".end", "Done")

	b.open("/")
	b.say("count")
	b.sees("[data-card]", "seq 1 20000")
	run := ask[string](b, `document.querySelector("#run-state").dataset.run`)
	if status, v := decides(h.rex, h.card(t, run), `{"decision":"approve"}`); status != 200 {
		t.Fatal(v)
	}
	b.sees(".end", "Done")
	b.do("unfold", click(".tool-fold > summary"))
	b.shoot("tool-kept-output")
	b.do("all of it", click(".tool-fold [id$='-r'] .hint a"))
	b.sees("pre", "\n20000")
	rex := newBrowser(t, h.url).signIn("rex@example.org")
	rex.do("mirror", click(".nav a[href='/admin/audit/mirror']"))
	rex.sees("h1", "My decisions")
	rex.sees(".table tbody", "rex@example.org")
	rex.shoot("own-mirror")
}

// stopsWhatOthersDecide: where the card is for others to decide, its owner stops the run in
// the dock, which asks once, and brings it back on the card.
func (b *browser) stopsWhatOthersDecide() {
	b.t.Helper()
	b.sees("#run-state", "Waiting for a decision")
	b.do("go to the card", click("#to-card"), until(`document.activeElement.matches("[data-card]")`))
	b.do("press Esc", press(kb.Escape), until(`document.querySelector("#stop-ask").open`))
	b.do("stop", click(".stop-question button"), visible(".ask-after"))
	b.bringsBack()
	b.do("stop by clicking", click("#stop-ask summary"), click(".stop-question button"), visible(".ask-after"))
	b.bringsBack()
	b.sees("#run-state", "Waiting for a decision")
}
