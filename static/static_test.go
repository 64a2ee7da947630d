package static

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"regexp"
	"slices"
	"testing"
)

// A chat's page has 60 KB over the wire. All assets together are more than it loads: their comments
// are not served, what is loaded on demand is left out, and the inbox, documents, and prompts have modules of their own.
const maxAssets = 51 << 10

// maxScripts bounds all modules that load with a page as one file, without what is not served of them.
const maxScripts = 25 << 10

// later are the modules that a page loads once somebody wants them, which that bound leaves out.
var later = []string{"js/change.js", "js/find.js", "js/pick.js", "js/voice.js"}

var unserved = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)

// maxModules bounds the script modules: one for the shell, the stream of a page and what
// is told of it, its keys, its cards and how they are paged through, the composer, what waits above it,
// what is around it, its menus, the choice of a model, the inbox, the names of chats, a chat's earlier messages,
// files, and open document, documents, prompts of servers, what is copied, what is done with messages, what is
// found in a chat, its branches, how a message is changed, voices, and what loads the last four on demand.
const maxModules = 28

func TestAssetsKeepTheirBounds(t *testing.T) {
	t.Parallel()
	var all, scripts bytes.Buffer
	zip, zipScripts := gzip.NewWriter(&all), gzip.NewWriter(&scripts)
	modules := 0
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(FS, name)
		if err != nil {
			return err
		}
		atOnce := true
		if ok, _ := regexp.MatchString(`^js/`, name); ok {
			modules++
			if slices.Contains(later, name) {
				atOnce = false
			} else if _, err := zipScripts.Write(unserved.ReplaceAll(body, nil)); err != nil {
				return err
			}
			if n := bytes.Count(body, []byte("\n")); n >= 150 {
				t.Errorf("%s has %d lines; a module stays below 150", name, n)
			}
			for line := range bytes.Lines(body) { // scripts are served without what lines begin with
				if bytes.Count(line, []byte("`"))%2 == 1 || bytes.Contains(line, []byte("/*")) {
					t.Errorf("%s: a text or a comment spans lines: %s", name, line)
				}
			}
		}
		if bad := regexp.MustCompile(`url\(|@import|https?://[^w]|\beval\(|\.style\b`).Find(body); bad != nil {
			t.Errorf("%s has %q: nothing is loaded from elsewhere, nothing is styled by scripts", name, bad)
		}
		if atOnce {
			_, err = zip.Write(body)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipScripts.Close(); err != nil {
		t.Fatal(err)
	}
	if scripts.Len() > maxScripts {
		t.Errorf("%d bytes of scripts, compressed; at most %d", scripts.Len(), maxScripts)
	}
	if modules > maxModules {
		t.Errorf("%d script modules; at most %d", modules, maxModules)
	}
	if all.Len() > maxAssets {
		t.Errorf("%d bytes of assets, compressed; at most %d", all.Len(), maxAssets)
	}
}
