package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	browserapi "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// copyable is an answer with what is easily lost when it is copied.
const copyable = "# Parts\n\n- one\n  - under one\n- two\n\n| Part | Sum |\n|---|---|\n| a\\|b | =1+1 |\n| \"c\", d | -2 |\n\n```go\n\tif x {\n\t\treturn\n\t}\n```\n\n中文**粗体**, line  \nbroken. The end of it.\n\nAnother paragraph.\n"

// oneClipboard is held by the test that copies: all pages of the one Chromium share it.
var oneClipboard sync.Mutex

// mayPaste lets the page read the clipboard, as a person lets it.
func (b *browser) mayPaste() *browser {
	b.t.Helper()
	oneClipboard.Lock()
	b.t.Cleanup(oneClipboard.Unlock)
	c := chromedp.FromContext(b.ctx)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := cdp.Call(b.ctx, c.Browser, browserapi.SetPermission, browserapi.SetPermissionParams{
			Permission: &browserapi.PermissionDescriptor{Name: name}, Setting: browserapi.PermissionSettingGranted, BrowserContextID: c.BrowserContextID,
		})
		must(b.t, err)
	}
	return b
}

// commanded presses Ctrl with a key, and does what the browser does for it.
func commanded(key, command string) chromedp.Action[chromedp.Void] {
	return press(key, func(p *input.DispatchKeyEventParams) {
		p.Commands = []string{command}
	}, chromedp.KeyModifiers(chromedp.ModifierCtrl))
}

// clipboard is what is on the clipboard: text and HTML.
func (b *browser) clipboard() (text, html string) {
	b.t.Helper()
	b.do("paste", until(`(window.pasted = null, window.board.read().then(async ([item]) => {
		const kind = async (name) => (item.types.includes(name) ? (await item.getType(name)).text() : "");
		window.pasted = [await kind("text/plain"), await kind("text/html")];
	}), true)`), until(`window.pasted !== null`))
	pasted := ask[[]string](b, `window.pasted`)
	return pasted[0], pasted[1]
}

// copies clicks on something that copies, which says so to those who do not see it, and returns what was copied.
func (b *browser) copies(selectors ...string) (text, html string) {
	b.t.Helper()
	b.do("be silent", until(`(document.querySelector("#live").replaceChildren(), true)`))
	for _, s := range selectors {
		b.do("click "+s, click(s))
	}
	b.do("hear it", until(`document.querySelector("#live").textContent === "Copied"`))
	return b.clipboard()
}

func (b *browser) copiesAs(form string) (text, html string) {
	b.t.Helper()
	return b.copies(".answer [id$='-c'] summary", ".answer [data-copy-as="+form+"]")
}

// TestBrowserCopy: messages, code, tables, and selections come to the clipboard whole, and without
// the looks of the page; also where pages have no clipboard.
func TestBrowserCopy(t *testing.T) {
	needsBrowser(t)
	model := saying(t, func() string { return copyable })
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+model+"/v1", "FUSEBOX_MODEL=scripted")...)
	b := newBrowser(t, p.url).mayPaste().signIn(adminEmail)
	b.say("<copy> this")
	b.sees(".end", "Done")
	b.do("keep the clipboard", until(`!!(window.board = navigator.clipboard)`))

	const plain = "Parts\n\n- one\n  - under one\n- two\n\nPart\tSum\na|b\t=1+1\n\"c\", d\t-2\n\n\tif x {\n\t\treturn\n\t}\n\n中文粗体, line\nbroken. The end of it.\n\nAnother paragraph."
	foreign := []string{"class=", "style=", "<button", "<script", "aria-", "data-", "Copy"}
	if text, html := b.copiesAs("markdown"); text != copyable || html != "" {
		t.Errorf("%q, %q", text, html)
	}
	if text, html := b.copiesAs("text"); text != plain || html != "" {
		t.Error(cmp.Diff(plain, text), html)
	}
	rich := func(what string) {
		t.Helper()
		text, html := b.copiesAs("html")
		if text != plain {
			t.Error(what, cmp.Diff(plain, text))
		}
		for _, part := range []string{"<li>under one</li>", "<td>a|b</td>", "<pre><code>\tif x {\n\t\treturn", "<strong>粗体</strong>", "line<br>"} {
			if !strings.Contains(strings.ReplaceAll(html, "<br/>", "<br>"), part) {
				t.Errorf("%s: it lacks %s: %s", what, part, html)
			}
		}
		for _, part := range foreign {
			if strings.Contains(html, part) {
				t.Errorf("%s: it has %s: %s", what, part, html)
			}
		}
	}
	rich("with a clipboard")
	if text, _ := b.copies(".code [data-copy]"); text != "\tif x {\n\t\treturn\n\t}\n" {
		t.Errorf("%q", text)
	}
	if text, _ := b.copies("[data-copy=csv]"); text != "Part,Sum\r\na|b,'=1+1\r\n\"\"\"c\"\", d\",'-2\r\n" {
		t.Errorf("%q", text)
	}
	if text, _ := b.copies(".said [data-copy-as]"); text != "<copy> this" {
		t.Errorf("%q", text)
	}

	b.do("select", until(`(() => {
		const [first, last] = [...document.querySelectorAll(".prose p")].slice(-2);
		getSelection().setBaseAndExtent(first.lastChild, first.lastChild.data.indexOf("The end"), last.firstChild, 7);
		return true;
	})()`), commanded("c", "copy"))
	text, html := b.clipboard()
	if text != "The end of it.\n\nAnother" || !strings.Contains(html, "<p>The end of it.</p>") || strings.Contains(html, "dir=") || strings.Contains(html, "style=") {
		t.Errorf("%q, %q", text, html)
	}

	b.do("take the clipboard away", until(`(Object.defineProperty(navigator, "clipboard", { value: undefined }), true)`))
	rich("without a clipboard")
}

// TestBrowserCopyWhileWriting: of an answer that is being written, what there is is copied.
func TestBrowserCopyWhileWriting(t *testing.T) {
	needsBrowser(t)
	goOn := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"- **one**\\n- two\\n\\nand a ha\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-goOn
		chunk(w, map[string]any{"content": "lf"}, "stop")
	}))
	t.Cleanup(model.Close)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+model.URL+"/v1", "FUSEBOX_MODEL=scripted")...)
	t.Cleanup(func() { close(goOn) })
	b := newBrowser(t, p.url).mayPaste().signIn(adminEmail)
	b.say("write")
	b.sees(".answer", "and a ha")
	b.do("keep the clipboard", until(`!!(window.board = navigator.clipboard)`))
	if text, _ := b.copiesAs("markdown"); text != "- **one**\n- two\n\nand a ha" {
		t.Errorf("%q", text)
	}
	if text, html := b.copiesAs("html"); text != "- one\n- two\n\nand a ha" || !strings.Contains(html, "<strong>one</strong>") {
		t.Errorf("%q, %q", text, html)
	}
	goOn <- struct{}{}
	b.sees(".end", "Done")
	if text, _ := b.copiesAs("markdown"); text != "- **one**\n- two\n\nand a half" {
		t.Errorf("%q", text)
	}
}
