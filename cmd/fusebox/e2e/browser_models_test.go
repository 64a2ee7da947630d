package e2e

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fusebox/agent/demo"
)

// TestBrowserModels: a tool chat with each family of the demo model, a model
// that is tested on its page, a call that is retried, and an older part of
// a chat that is summarised.
func TestBrowserModels(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_RETRY_MAX=2", "FUSEBOX_RETRY_BASE=800ms",
		"FUSEBOX_MODEL_CONTEXT_WINDOW=1800", "FUSEBOX_PROVIDER_RAW_LOG=true")...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")

	for _, f := range demo.Families() {
		b.toolChatWith("demo:" + string(f))
	}
	b.shoot("chat-family")
	b.sees(".reasoning summary", "Thought for")
	b.changesTheModel()
	b.triesAgain()
	b.summarises()
	b.testsAModel()
	b.readsRawRequests()
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserDefaultModel: a new chat asks an admin for the default model, once.
func TestBrowserDefaultModel(t *testing.T) {
	needsBrowser(t)
	endpoint := &lateEndpoint{}
	endpoint.up.Store(true)
	srv := httptest.NewServer(endpoint)
	t.Cleanup(srv.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+srv.URL+"/v1")...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("#no-default", "Which model do new chats use?")
	b.shoot("default-model")
	b.do("choose", until(`(() => { const s = document.getElementById("new-default"); s.value = "second-model"; return s.value === "second-model" })()`),
		click("#no-default button"), until(`document.getElementById("no-default") === null`))
	b.say("hi")
	b.sees(".transcript", "Here.")
	b.asksModel("second-model")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// toolChatWith starts a chat with a model and sees it use a tool.
func (b *browser) toolChatWith(model string) {
	b.t.Helper()
	b.open("/")
	b.do("choose "+model, visible("#model-button"), until(fmt.Sprintf(
		`(() => { const s = document.getElementById("chat-model"); s.value = %q; return s.value === %q })()`, model, model)))
	b.say("What is the weather in Guangzhou?")
	b.sees(".tool-says", "Look up the weather in Guangzhou")
	b.sees(".transcript", "26 °C and partly cloudy in Guangzhou")
	b.sees(".end", "Done")
	b.asksModel(model)
	if n := b.count(".failure"); n != 0 {
		b.t.Errorf("%s: %d failures on the page", model, n)
	}
}

// asksModel waits until the composer shows a model.
func (b *browser) asksModel(model string) {
	b.t.Helper()
	b.do("see "+model, until(fmt.Sprintf(`document.querySelector("#composer-model")?.value === %q`, model)))
}

// changesTheModel continues in the same chat with a model of another family.
func (b *browser) changesTheModel() {
	b.t.Helper()
	b.do("choose another model", visible("#model-button"), until(`(() => {
		const s = document.getElementById("composer-model");
		s.value = "demo:gemini";
		return s.dispatchEvent(new Event("change", { bubbles: true })) && s.value === "demo:gemini";
	})()`))
	b.sees("#live", "demo:gemini: from your next message")
	b.do("reload", chromedp.Reload())
	b.shoot("chat-model")
	b.asksModel("demo:gemini")
	b.say("What is the weather in Berlin?")
	b.sees(".transcript", "in Berlin")
	b.do("the end of both runs", until(`document.querySelectorAll(".end-good").length === 2`))
}

// triesAgain: a model that refuses too often ends the run; one click continues.
func (b *browser) triesAgain() {
	b.t.Helper()
	b.open("/")
	b.say("test retry")
	b.sees(".waits .line", "Next attempt")
	b.shoot("chat-retry")
	b.sees(".failure", "Gave up after 3 attempts")
	if n := b.count(".waits .line"); n != 1 {
		b.t.Errorf("the retries of one call take %d lines", n)
	}
	b.shoot("chat-failed")
	b.do("try again", click(".failure form button"))
	b.sees(".transcript", "Here is the answer")
	b.sees(".end-good", "Done")
	if n := b.count(".said"); n != 1 {
		b.t.Errorf("the message stands %d times", n)
	}
}

// summarises: a chat that fills the model's window continues with a summary.
func (b *browser) summarises() {
	b.t.Helper()
	b.open("/")
	b.say("test long text")
	b.do("the end of the first run", until(`document.querySelectorAll(".end").length === 1`))
	b.say("What is the weather in Guangzhou?")
	b.sees(".line", "Earlier messages were summarised")
	b.do("the end of the second run", until(`document.querySelectorAll(".end").length === 2`))
	b.do("unfold the summary", click(".line-detail > summary"), visible(".line-detail .prose"))
	b.sees(".line-detail .prose", "The person asked: test long text")
	b.shoot("chat-summary")
	b.open(strings.TrimPrefix(ask[string](b, `location.pathname`), ""))
	b.sees(".line", "Earlier messages were summarised")
}

// testsAModel sends true requests from the models' page.
func (b *browser) testsAModel() {
	b.t.Helper()
	b.open("/admin/models")
	b.sees("th", "demo:kimi")
	b.do("test a model", click(`button[aria-label="Test demo:deepseek"]`))
	b.sees("#report", "It calls the tool it’s offered.")
	b.sees("#report", "The response is streamed.")
	b.shoot("models")
}

// readsRawRequests follows the link from a run.
func (b *browser) readsRawRequests() {
	b.t.Helper()
	b.open("/")
	b.open("/c/" + b.conversationOf("test retry"))
	b.do("open the trace", click(".end-bill a"))
	b.sees("h1", "Run")
	b.do("open the raw requests", click(`a[href$="/raw"]`))
	b.sees(".raw summary", "429")
	b.do("unfold one", chromedp.Click(chromedp.CSS(".raw > summary")), visible(".raw-body"))
	b.sees(".raw-body", "Rate limit")
	b.shoot("raw")
}
