package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserFiles opens the files beside a chat, uploads one by the button, one by dropping,
// and one by pasting it, is told what is too large, and sees what the agent has written.
func TestBrowserFiles(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), append(withAdmin(), "FUSEBOX_FILES_MAX_BYTES=2000")...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.say("test edit")
	b.sees("[data-card]", "The corner shop")

	b.do("open the files", click("[data-files-open]"), visible("#files-panel .file-list"))
	b.sees(".file-list", "README.md")
	file, large := filepath.Join(t.TempDir(), "table.csv"), filepath.Join(t.TempDir(), "large.bin")
	must(t, os.WriteFile(file, []byte("a,b\n"), 0o600))
	must(t, os.WriteFile(large, []byte(strings.Repeat("x", 2001)), 0o600))
	b.do("upload", chromedp.SetUploadFiles("#files-file", []string{file, large}))
	b.sees(".file-list", "table.csv")
	b.sees("[data-files] .field-error", "large.bin is too large")
	b.do("drop", until(`(() => {
		const files = new DataTransfer();
		files.items.add(new File(["dropped"], "dropped.md"));
		return !document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
	})()`))
	b.sees(".file-list", "dropped.md")
	b.do("paste", until(`(() => {
		const files = new DataTransfer();
		files.items.add(new File(["pasted"], "pasted.txt"));
		return !document.querySelector("#composer-text").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: files }));
	})()`))
	b.sees(".file-list", "pasted.txt")
	b.do("the error is gone", until(`document.querySelector("[data-files] .field-error").hidden`))
	b.shoot("files")

	const size = `[...document.querySelectorAll(".file")].find((f) => f.textContent.includes("README.md")).querySelector(".num").textContent`
	before := ask[string](b, size)
	b.do("approve the edit", click(`[data-card] button[value="approve"]`))
	b.do("see the file change", until(size+` !== "`+before+`"`))
	b.do("close the files", click("[data-files-close]"), until(`document.querySelector("#files-panel").hidden`))
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
}
