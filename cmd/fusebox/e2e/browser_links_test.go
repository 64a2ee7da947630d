package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// linked is what a model writes: a link that says another address than it leads to, a bare
// one, and one within the site.
const linked = "See [docs.example.com](https://pages.example.com/p?d=secret#x), https://docs.example.com/a and [your chats](%s/approvals)."

// saying is the address of a model that says one thing only.
func saying(t *testing.T, text func() string) string {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		chunk(w, map[string]any{"content": text()}, "stop")
	}))
	t.Cleanup(model.Close)
	return model.URL
}

// TestBrowserLinks: a link of an answer shows the whole address and asks, however it is
// followed; what leads within the site does not.
func TestBrowserLinks(t *testing.T) {
	needsBrowser(t)
	var site string
	model := saying(t, func() string { return fmt.Sprintf(linked, site) })
	p := startProgram(t, t.TempDir(), "OPENAI_BASE_URL="+model+"/v1", "FUSEBOX_MODEL=scripted")
	site = p.url
	b := newBrowser(t, p.url)
	w := &walker{browser: b}
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("Compare https://pages.example.com and https://docs.example.com with " + site)
	b.sees(".end", "Done")
	const first = `.prose a[href*="pages.example.com"]`
	for _, way := range []string{
		`new MouseEvent("click", {bubbles: true, cancelable: true})`,
		`new MouseEvent("click", {bubbles: true, cancelable: true, ctrlKey: true})`,
		`new MouseEvent("click", {bubbles: true, cancelable: true, metaKey: true})`,
		`new MouseEvent("click", {bubbles: true, cancelable: true, shiftKey: true})`,
		`new MouseEvent("auxclick", {bubbles: true, cancelable: true, button: 1})`,
	} {
		if ask[bool](b, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(%s)`, first, way)) {
			t.Errorf("%s leaves without a question", way)
		}
		b.sees("dialog[open] code", "https://pages.example.com/p?d=secret#x")
		w.key(kb.Escape)
		b.do("see the question go", until(`!document.querySelector("dialog[open]")`))
	}
	b.do("focus the link", until(fmt.Sprintf(`(document.querySelector(%q).focus(), true)`, first)))
	w.key(kb.Enter)
	b.sees("dialog[open] h2", "Open this page?")
	b.shoot("links")
	if way := ask[string](b, `(() => { const a = document.activeElement; return [a.href, a.target, a.rel].join(" ") })()`); way != "https://pages.example.com/p?d=secret#x _blank nofollow noreferrer noopener" {
		t.Errorf("the question leads to %s", way)
	}
	w.key(kb.Tab)
	w.on("dialog button")
	w.key(kb.Enter)
	w.on(first)
	const stays = `(() => {
		let asked;
		addEventListener("click", (e) => { asked = e.defaultPrevented; e.preventDefault(); }, { once: true });
		document.querySelector(".prose a[href$='/approvals']").click();
		return !asked;
	})()`
	if !ask[bool](b, stays) {
		t.Error("a link within the site asks")
	}
	if got := ask[string](b, fmt.Sprintf(`document.querySelector(%q).title`, first)); got != "https://pages.example.com/p?d=secret#x" {
		t.Errorf("without JavaScript the link is called %q", got)
	}
}
