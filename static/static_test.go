package static

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"regexp"
	"testing"
)

// The page's budget is 60 KB over the wire, and 25 KB of it for scripts; all assets leave the
// rest of it to the HTML.
const maxAssets = 47 << 10

// maxModules bounds the script modules: one for the shell, the stream of a page and what
// is told of it, its keys, its cards and how they are paged through, the composer, what waits above it, and what
// is around it, its menus, the choice of a model, the inbox, the names of chats, a chat's earlier messages, files, and open document, documents,
// and prompts of servers.
const maxModules = 20

func TestAssetsKeepTheirBounds(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	zip := gzip.NewWriter(&all)
	modules := 0
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(FS, name)
		if err != nil {
			return err
		}
		if ok, _ := regexp.MatchString(`^js/`, name); ok {
			modules++
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
		_, err = zip.Write(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if modules > maxModules {
		t.Errorf("%d script modules; at most %d", modules, maxModules)
	}
	if all.Len() > maxAssets {
		t.Errorf("%d bytes of assets, compressed; at most %d", all.Len(), maxAssets)
	}
}
