package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// parrot repeats what it was told last, in many lines. What it is told to hold it writes half of, until it
// may go on.
type parrot struct{ goOn chan struct{} }

func newParrot(t *testing.T) (*parrot, string) {
	t.Helper()
	p := &parrot{goOn: make(chan struct{})}
	model := httptest.NewServer(p)
	t.Cleanup(model.Close)
	return p, model.URL
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"scripted","object":"model"},{"id":"second","object":"model"}]}`)
		return
	}
	var asked struct {
		Messages []struct{ Content any }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	heard := fmt.Sprint(asked.Messages[len(asked.Messages)-1].Content)
	w.Header().Set("Content-Type", "text/event-stream")
	if strings.Contains(heard, "hold") {
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"the first half\"}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-p.goOn:
		case <-r.Context().Done():
			return
		}
		chunk(w, map[string]any{"content": " and the second"}, "stop")
		return
	}
	if strings.Contains(heard, "cut") {
		chunk(w, map[string]any{"content": "this is cut"}, "length")
		return
	}
	chunk(w, map[string]any{"content": "echo: " + heard + strings.Repeat("\n\nand so on", 8)}, "stop")
}

// inTheWorld is a language, and a window, in which versions are walked through.
type inTheWorld struct {
	languages string
	size
	count, edit, remove, away, about string
}

// TestBrowserVersions: a message is edited, its versions are gone through and stay chosen, an answer is
// written once more while another one is read, and a message is deleted with what follows; on both widths, in
// both languages.
func TestBrowserVersions(t *testing.T) {
	needsBrowser(t)
	for _, in := range []inTheWorld{
		{"en", size{1440, 900}, "Version %d of %d", "Edit message", "Delete message", "another version", "About boiler.txt"},
		{"zh-CN,zh;q=0.9", size{390, 844}, "第 %d 个版本，共 %d 个", "编辑消息", "删除消息", "另一个版本", "关于 boiler.txt"},
	} {
		t.Run(fmt.Sprint(in.width), func(t *testing.T) { walkVersions(t, in) })
	}
}

func walkVersions(t *testing.T, in inTheWorld) {
	model, url := newParrot(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "OPENAI_BASE_URL="+url+"/v1", "FUSEBOX_MODEL=scripted")...)
	b := newBrowser(t, p.url)
	b.speaks(in.languages)
	b.signIn(adminEmail)
	b.resized(in.size)
	troubles := b.watch()
	for _, text := range []string{"alpha", "beta", "gamma"} {
		b.say(text)
		b.answers("echo: " + text)
	}
	b.changes("beta", "edit", in.edit)
	b.do("leave it as it is", until(focused), press(kb.Escape), until(`!document.querySelector(".message-form") && document.activeElement.matches('a[href$="/edit"]')`))
	b.changes("beta", "edit", in.edit)
	b.do("write, and leave", until(focused), press("x"), press(kb.Escape), until(`!document.querySelector(".message-form [data-discard]").hidden`))
	b.shoot("chat-version-discard")
	b.resized(in.size)
	b.do("go on", click(".message-form [data-keep]"), until(focused))
	b.writes("edited")
	b.do("end a word of an input method", until(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }))`))
	b.do("send it", press("\r"), until(`!document.querySelector(".message-form")`))
	b.answers("echo: edited")
	b.reads("the edit", "alpha", "edited")
	b.arrow("edited", "before", fmt.Sprintf(in.count, 1, 2))
	b.reads("the first version", "alpha", "beta", "gamma")
	b.arrow("beta", "after", fmt.Sprintf(in.count, 2, 2))
	b.reads("the second", "alpha", "edited")
	b.changes("edited", "edit", in.edit)
	b.do("write, and press an arrow", until(focused), press("x"), until(fmt.Sprintf(`(%s.querySelector(".versions [id$=-before]").click(), true)`, saidMessage("edited"))),
		until(`!document.querySelector(".message-form [data-discard]").hidden`), click(".message-form [data-discarded]"), until(`!document.querySelector(".message-form")`))
	b.reads("the version that was about to go", "alpha", "edited")
	b.arrow("edited", "before", fmt.Sprintf(in.count, 1, 2))
	b.do("reload", chromedp.Reload(), visible("#composer-text"))
	b.reads("what was chosen", "alpha", "beta", "gamma")
	b.shoot("chat-versions")
	b.resized(in.size)

	b.do("edit the last one", until(`(document.querySelector("#composer-text").focus(), true)`), press(kb.ArrowUp), until(focused), until(`document.activeElement.value === "gamma"`))
	b.writes("hold it")
	b.do("send it", click(".message-form .btn-primary"), until(`!document.querySelector(".message-form")`))
	b.answers("the first half")
	b.arrow("hold it", "before", fmt.Sprintf(in.count, 1, 2))
	b.reads("another branch", "alpha", "beta", "gamma")
	b.sees("#away", in.away)
	b.shoot("chat-version-away")
	b.resized(in.size)
	b.changes("beta", "edit", in.edit)
	b.do("edit while it is written", until(focused))
	b.writes("too early")
	b.do("send it", press("\r"), until(`!!document.querySelector(".message-form [role=alert]") && `+focused+` && document.activeElement.value === "too early"`))
	b.shoot("chat-version-refused")
	b.resized(in.size)
	model.goOn <- struct{}{}
	b.do("it ends", until(`!document.querySelector("#away").textContent.trim()`))
	if b.count(`.answer`) != 3 || strings.Contains(b.text("#transcript"), "second") {
		t.Errorf("the branch that is read has got %s", b.text("#transcript"))
	}
	b.arrow("gamma", "after", fmt.Sprintf(in.count, 2, 2))
	b.answers("and the second")
	b.do("give the edit up", until(`(document.querySelector(".message-form [name=content]").focus(), true)`), press(kb.Escape), click(".message-form [data-discarded]"), until(`!document.querySelector(".message-form")`))
	b.do("answer once more", until(`([...document.querySelectorAll('.answer a[href$="/again"]')].at(-1).click(), true)`), until(`!!document.querySelector(".answer .message-form")`), click(".message-form .btn-primary"))
	b.do("see it begin", until(`!document.querySelector(".message-form") && !!document.querySelector(".answer .writing")`))
	model.goOn <- struct{}{}
	b.answers("and the second")
	b.sees(".answer .versions", "2/2")
	b.changes("hold it", "delete", in.remove)
	b.do("see what goes", until(`document.querySelector(".message-form").textContent.includes("3")`))
	b.shoot("chat-version-delete")
	b.resized(in.size)
	b.do("delete it", click(".message-form .btn-danger"), until(`!document.querySelector(".message-form")`))
	b.reads("the version before", "alpha", "beta", "gamma")
	b.editsWithDocument(in)
	for _, trouble := range troubles() {
		if !strings.Contains(trouble, "status of 409") { // what was sent too early
			t.Error(trouble)
		}
	}
}

// editsWithDocument drops a file on an edit: it becomes the document of that message alone, and the keyboard takes it
// off again.
func (b *browser) editsWithDocument(in inTheWorld) {
	b.t.Helper()
	const with = `document.querySelector(".message-form [name=document_id]")`
	b.changes("gamma", "edit", in.edit)
	b.do("drop a file", until(focused), until(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(["The boiler is emptied in May."], "boiler.txt", { type: "text/plain" }));
		return !document.querySelector(".message-form").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
	})()`), until(with+`.checked && `+focused))
	b.sees(".form-document label", in.about)
	b.shoot("chat-version-document")
	b.resized(in.size)
	b.do("leave", press(kb.Escape), until(`!document.querySelector(".message-form [data-discard]").hidden`), click(".message-form [data-keep]"), until(focused))
	b.writes("about it")
	b.do("send it", press("\r"), until(`!document.querySelector(".message-form")`))
	b.answers("echo: about it")
	b.do("see what it is about", until(`!!`+saidMessage("about it")+`.querySelector(".said-document")`), until(`document.querySelector("[data-document]").hidden`))
	b.changes("about it", "edit", in.edit)
	b.do("leave it out", until(focused), press(kb.Tab), until(`document.activeElement === `+with), press(" "), until(`!`+with+`.checked`), click(".message-form .btn-primary"), until(`!document.querySelector(".message-form")`))
	b.answers("echo: about it")
	b.do("see that it is left out", until(`!`+saidMessage("about it")+`.querySelector(".said-document")`))
}

// focused says that the text of a message that is changed has the focus.
const focused = `document.activeElement.matches(".message-form [name=content]")`

// writes writes another text in the place of a message.
func (b *browser) writes(text string) {
	b.t.Helper()
	b.do("write "+text, until(`(document.activeElement.select(), true)`), press(text))
}

// answers waits until the last answer holds a text.
func (b *browser) answers(text string) {
	b.t.Helper()
	b.do("hear "+text, until(fmt.Sprintf(`[...document.querySelectorAll(".answer")].at(-1)?.innerText.includes(%q)`, text)))
}

// reads checks which messages of the person are shown.
func (b *browser) reads(what string, want ...string) {
	b.t.Helper()
	got := ask[[]string](b, `[...document.querySelectorAll("#transcript > .said .said-text")].map((el) => el.textContent)`)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// saidMessage is the message of the person that has a text, as a script finds it.
func saidMessage(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#transcript > .said")].find((el) => el.querySelector(".said-text").textContent === %q)`, text)
}

// arrow presses an arrow of a message with the keyboard. The message that takes its place stands where it
// was, has the focus on the same arrow, and its count is said.
func (b *browser) arrow(text, way, count string) {
	b.t.Helper()
	const at = `document.activeElement.closest("article").getBoundingClientRect().top`
	b.do("go to the arrow", until(fmt.Sprintf(`(() => {
		const m = %s, arrow = m?.querySelector(".versions [id$=-%s]");
		if (!arrow) return false;
		m.scrollIntoView({ block: "center" });
		arrow.focus({ preventScroll: true });
		window.pressed = m;
		document.getElementById("live").replaceChildren();
		return true;
	})()`, saidMessage(text), way)))
	before := ask[float64](b, at)
	b.do("press it", press(kb.Enter), until(fmt.Sprintf(`!window.pressed.isConnected && document.activeElement.matches(".versions [id$=-%s]")`, way)),
		until(fmt.Sprintf(`document.getElementById("live").textContent.includes(%q)`, count)))
	if after := ask[float64](b, at); after < before-2 || after > before+2 {
		b.t.Errorf("the message moved from %f to %f", before, after)
	}
}

// changes opens what changes a message of the person.
func (b *browser) changes(text, does, title string) {
	b.t.Helper()
	b.do(title, until(fmt.Sprintf(`(() => {
		const act = %s?.querySelector('a[href$="/%s"]');
		if (act?.ariaLabel !== %q) return false;
		act.click();
		return true;
	})()`, saidMessage(text), does, title)))
}
