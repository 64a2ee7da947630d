package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserImport imports a folder by the keyboard, sees without a reload what became of it, follows a
// document back to where it came from, and is told what is no import.
func TestBrowserImport(t *testing.T) {
	needsBrowser(t)
	p := startProgram(t, t.TempDir(), withAdmin()...)
	b := newBrowser(t, p.url)
	troubles := b.watch()
	b.open("/login")
	b.do("sign in", typing("input[name=email]", adminEmail), typing("input[name=password]", adminPassword+"\r"))
	b.sees("h1", "What should I work on?")
	b.open("/documents")
	b.do("go to the imports", click(`a[href="/documents/import"]`))
	b.sees("h2#imports ~ *", "Nothing imported yet")
	b.shoot("import-empty")
	dir := t.TempDir()
	vault := filepath.Join(dir, "garden")
	must(t, os.MkdirAll(filepath.Join(vault, "plans"), 0o700))
	for name, content := range map[string]string{"beans.md": "Sow in May.", "plans/peas.md": "Sow in April.", "plans/bed.png": "x", "a file with a rather long name that has to be wrapped on a phone because it does not fit.png": "x"} {
		must(t, os.WriteFile(filepath.Join(vault, name), []byte(content), 0o600))
	}
	b.do("send the folder", chromedp.SetUploadFiles("#import-folder", []string{vault}), chromedp.Focus("#import-name"), chromedp.KeyEvent(kb.Enter))
	b.sees(".badge-good", "Done")
	b.sees(".document-facts", "2 added")
	b.do("see what was left out", click(".document details > summary"))
	b.sees(".document details", "plans/bed.png")
	b.shoot("import-done")
	b.open("/documents")
	b.do("open a note", click(".document a.file-name"))
	b.sees(".page-head", "From the import garden: ")
	for _, trouble := range troubles() {
		t.Error(trouble)
	}
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("plain"), 0o600))
	b.open("/documents/import")
	b.do("send what is no import", chromedp.SetUploadFiles("#import-file", []string{filepath.Join(dir, "a.txt")}), click("[data-import] button"))
	b.sees("[data-problem]", "The file is neither a zip archive")
	b.shoot("import-refused")
}
