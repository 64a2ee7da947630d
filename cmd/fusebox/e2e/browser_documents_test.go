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

// TestBrowserDocuments adds documents by the button and by dropping, sees them become ready
// without a reload, reads one, decides about a file that is there already, renames, replaces,
// and deletes.
func TestBrowserDocuments(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.do("go to the documents", click(`.nav a[href="/documents"]`))
	b.sees("h2", "No documents yet")
	b.shoot("documents-empty")

	b.do("begin a note", click("details:has(#note-text) > summary"), visible("#note-text"))
	b.shoot("documents-note")
	b.do("think again", click("details:has(#note-text) > summary"))
	dir := t.TempDir()
	manual, table := filepath.Join(dir, "pump room.md"), filepath.Join(dir, "parts.csv")
	must(t, os.WriteFile(manual, []byte("# Pump room\n\nTwo pumps share the load.\n\n## Filters\n\nChange the filter of pump 2 each spring.\n\n```sh\n# not a heading\nstart pump2\n```\n\n| Part | Store |\n| --- | --- |\n| LK-097 | North |\n| LK-098 | South |\n"), 0o600))
	must(t, os.WriteFile(table, []byte("part;price\nvalve;12,5\nseal;3,2\n"), 0o600))
	b.do("add two", chromedp.SetUploadFiles("#document-file", []string{manual, table}))
	b.do("both are ready", until(`document.querySelectorAll(".document").length === 2 && !document.querySelector("[data-reading]")`))
	b.do("drop the same file again", until(`(() => {
		const files = new DataTransfer();
		files.items.add(new File(["part;price\nvalve;12,5\nseal;3,2\n"], "parts again.csv"));
		return !document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
	})()`))
	b.sees(".documents", "You already have this file.")
	b.shoot("documents")
	b.do("keep both", click(`.document form[action$="/read"] button`))
	b.sees(".flash", "will be read")

	b.open("/documents")
	// Files that are added at once are sent side by side: either may be the newer one.
	address := ask[string](b, `[...document.querySelectorAll(".documents a.file-name")].find((a) => a.textContent === "pump room.md").getAttribute("href")`)
	b.do("open the manual", click(fmt.Sprintf(`.documents a[href=%q]`, address)))
	b.sees(".document-text", "Change the filter of pump 2 each spring.")
	b.shoot("document")
	if headings := ask[string](b, `[...document.querySelectorAll(".document-text h3")].map((h) => h.textContent).join("|")`); headings != "Pump room|Pump room › Filters" {
		t.Errorf("headings are %q", headings)
	}
	if cell := ask[string](b, `document.querySelector(".document-text tbody td").textContent`); cell != "LK-097" {
		t.Errorf("the first cell is %q", cell)
	}
	b.do("rename", click(".document-change > summary"), until(`Boolean(document.querySelector("#name").value = "pump room 2.md")`), click(`form[action$="/name"] button`))
	b.sees("h1", "pump room 2.md")
	must(t, os.WriteFile(manual, []byte("# Pump room\n\nThree pumps now.\n"), 0o600))
	b.do("replace", click(".document-change > summary"), chromedp.SetUploadFiles("#replace-file", []string{manual}), click(`form[action$="/file"] button`))
	b.sees(".document-text", "Three pumps now.")
	b.do("see the history", click(".document-change > summary"), until(`document.querySelectorAll(".document-versions li").length === 2`))
	b.shoot("document-history")
	b.do("edit the text", click(`details:has(form[action$="/text"]) > summary`), until(`Boolean(document.querySelector("#note-text").value = "# Pump room\n\nFour pumps in the end.")`))
	b.shoot("document-edit")
	b.do("save it", click(`form[action$="/text"] button`))
	b.sees(".document-text", "Four pumps in the end.")
	b.do("delete", click(".page-head .confirm summary"), click(".page-head .confirm-box button"))
	b.sees(".flash", "deleted")
	if left := ask[string](b, `document.querySelector(".documents").textContent`); strings.Contains(left, "pump room") {
		t.Errorf("the list still has it: %s", left)
	}
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserCitedDocuments asks the demo model about the samples, and follows a citation to the
// passage in its document beside the chat, live and after a reload, and on the document's page.
func TestBrowserCitedDocuments(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.open("/documents")
	b.do("add the samples", click(`form[action="/documents/samples"] button`), until(`document.querySelectorAll(".document").length === 3 && !document.querySelector("[data-reading]")`))
	b.shoot("documents-samples")
	b.open("/")
	b.say("What do my documents say about the night train?")
	b.sees(".sources li", "Sample: night trains.md")
	b.shoot("documents-cited")
	for range 2 {
		b.do("follow a citation", click(".cite"), visible("#document-panel #passage mark"))
		b.sees("#document-panel h2", "Sample: night trains.md")
		b.do("reload", chromedp.Reload(), visible("#document-panel #passage mark"), click("#document-panel [data-document-close]"))
	}
	b.open(ask[string](b, `document.querySelector(".sources li a[href^='/passages/']").getAttribute("href")`))
	b.sees("#passage mark", "Vienna")
	b.shoot("documents-passage")
	b.open("/documents?find=relief+valve")
	b.sees(".documents mark", "relief")
	b.shoot("documents-found")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}

// TestBrowserDocumentBesideChat opens documents beside a chat: by a file that is added or dropped
// where messages are written, by a citation, live and after a reload, and on a phone; asks about
// them, and closes them.
func TestBrowserDocumentBesideChat(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	drop := func(name, text string) string {
		return fmt.Sprintf(`(() => {
			const files = new DataTransfer();
			files.items.add(new File([%q], %q));
			return !document.querySelector(".composer").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
		})()`, text, name)
	}
	trip := "# Night trains\n\n## Vienna\n\nWe leave on 12 May at 21:40.\n\n## Luggage\n\nBring ear plugs.\n"
	b.do("drop a file where messages are written", until(drop("trip.md", trip)))
	b.sees("#document-panel .document-text", "We leave on 12 May at 21:40.")
	b.sees("[data-document]", "trip.md")
	b.shoot("beside-new")
	b.say("Summarise this document")
	b.sees(".sources li", "trip.md, Vienna")
	b.sees(".said", "About a document")
	b.sees("#document-panel .document-text", "Bring ear plugs.") // the address of the chat names it too
	b.do("close it", click("#document-panel [data-document-close]"), until(`document.getElementById("document-panel").hidden && document.querySelector("[data-document]").hidden && !location.search`))
	b.do("follow a citation", click(`.cite`), visible("#document-panel #passage mark"))
	b.sees("#passage mark", "We leave on 12 May")
	b.shoot("beside-cited")
	b.do("reload", chromedp.Reload(), visible("#document-panel #passage mark"))
	b.do("close it with Escape", click("#document-panel h2"), chromedp.KeyEvent(kb.Escape), until(`document.getElementById("document-panel").hidden`))
	b.do("drop the same file again", until(drop("trip again.md", trip)))
	b.sees("[data-problem]", "You have trip again.md already")
	b.sees("[data-document]", "trip.md")
	if n := ask[int](b, `document.querySelectorAll(".document-panel").length`); n != 1 {
		t.Errorf("%d panels", n)
	}
	b.do("close it", click("#document-panel [data-document-close]"), until(`document.getElementById("document-panel").hidden`))
	// What answers late opens nothing again, and a server that is away for a moment takes nobody out of the chat.
	b.do("read slowly", until(`(() => {
		const fetched = window.fetch;
		window.late = 0;
		window.fetch = async (...args) => {
			if (!String(args[0]).includes("/passages/")) return fetched(...args);
			await new Promise((done) => (window.answer = done));
			return fetched(...args).finally(() => setTimeout(() => window.late++));
		};
		return true;
	})()`), click(".cite"), until(`Boolean(window.answer)`), until(`(document.querySelector("[data-document-close]").click(), window.answer(), true)`), until(`window.late === 1`))
	if open := ask[bool](b, `!document.getElementById("document-panel").hidden || document.querySelector("[data-document] input").value !== ""`); open {
		t.Error("a document that was closed before it came is open")
	}
	b.do("follow the citation on a phone", chromedp.EmulateViewport(390, 844), until(`innerWidth === 390`), chromedp.Reload(), visible(".cite"), click(".cite"), visible("#document-panel #passage mark"))
	b.shoot("beside-phone")
	b.do("go back to the chat", chromedp.EmulateViewport(390, 844), until(`innerWidth === 390`), click("#document-panel [data-document-close]"), until(`document.getElementById("document-panel").hidden`), visible("[data-document]"))
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
