package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
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
	b.do("open the manual", click(`.document:nth-of-type(3) a.file-name`))
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

// TestBrowserCitedDocuments asks the demo model about the samples, follows a citation to the
// list of sources, and from there to the passage in its document, live and after a reload.
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
		b.do("follow a citation", click(".cite"), until(`!!document.querySelector(".sources li:target")`))
		if to := ask[string](b, `document.querySelector(".sources li:target a").getAttribute("href")`); !strings.HasPrefix(to, "/passages/p") {
			t.Errorf("the source leads to %s", to)
		}
		b.do("reload", chromedp.Reload(), visible(".cite"))
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
