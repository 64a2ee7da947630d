package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserConnect: from an empty chat of the demo model to the first answer of another
// one: a key that is refused, the right one, the default model, and its removal.
func TestBrowserConnect(t *testing.T) {
	needsBrowser(t)
	far := newEndpoint(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), atOnce)...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees(".answers", "The demo model answers")
	b.do("go where a model is connected", click(`.answers a`), visible("#connect"))
	b.do("take a known address", click(`.known-endpoints a[href*="connect=ollama"]`), until(`document.activeElement.id === "connect-key"`))
	set := func(id, value string) chromedp.Action[chromedp.Void] {
		return until(`(() => { const f = document.getElementById("` + id + `"); f.value = "` + value + `"; return true })()`)
	}
	b.do("type an address without the path", set("connect-url", far.URL), set("connect-name", "far"), typing("#connect-key", "sk-far-1\r"))
	b.sees("#endpoint-report", "but at "+far.URL+"/v1")
	b.do("are led to the report", until(`document.activeElement.id === "endpoint-report"`))
	b.shoot("connect-better")
	b.do("connect with the key that was typed before", click(`.connect-form button[value="save"]`))
	b.sees(".endpoint", far.URL+"/v1")
	b.shoot("connected")
	b.do("choose the default model", until(`(() => { const s = document.getElementById("default-model"); s.value = "far/demo"; window.before = true; return s.value === "far/demo" })()`), click(`form[action$="/models/default"] button`), until(`!window.before && document.getElementById("default-model")?.value === "far/demo"`))
	b.open("/")
	b.say("What is 6*7?")
	b.sees(".transcript", "42")
	b.asksModel("far/demo")
	far.mu.Lock()
	if len(far.keys) != 1 || !far.keys["Bearer sk-far-1"] {
		t.Errorf("sent %v", far.keys)
	}
	far.mu.Unlock()
	b.open("/admin/models")
	b.do("remove it", click(".endpoint .confirm summary"), visible(".endpoint .confirm-box"))
	b.shoot("connect-remove")
	b.do("remove it for good", click(".endpoint .confirm-box button"), visible("#connect-url"))
	for _, trouble := range troubles() {
		if !strings.Contains(trouble, "422") { // the report of the address without the path
			t.Error(trouble)
		}
	}
}
