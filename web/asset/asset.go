package asset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/static"
)

// asset is one embedded file with the address that names its content.
type asset struct {
	url  string
	body []byte
}

// assets are read once; the checksum in the address lets browsers keep them for ever.
var assets = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	err := fs.WalkDir(static.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(static.FS, name)
		if path.Ext(name) == ".js" {
			body = margins.ReplaceAll(body, nil)
		}
		all[name] = named(name, body)
		return err
	})
	if err != nil {
		panic("embedded assets cannot be read: " + err.Error())
	}
	all[Styles] = styles(all)
	for name, modules := range bundles {
		all[name] = bundle(name, modules, all)
	}
	return all
})

// bundles are modules that pages always load together: as one file they are lighter by a fifth.
var bundles = map[string][]string{
	"js/session.js": {"stream", "speech", "cards", "keys", "rename", "copy"}, // of every page of somebody who is signed in
	"js/writing.js": {"composer", "queue", "chat", "panel", "menu", "models"},
	"js/reading.js": {"pager", "files", "links", "messages", "branch", "later"}, // of a chat
}

// bundle is one file of modules, each with names of its own.
func bundle(name string, modules []string, all map[string]asset) asset {
	var body []byte
	for _, m := range modules {
		body = append(append(append(body, "{\n"...), all["js/"+m+".js"].body...), "}\n"...)
	}
	return named(name, onDemand.ReplaceAllFunc(body, func(found []byte) []byte {
		_, file, _ := strings.Cut(all[string(onDemand.FindSubmatch(found)[1])].url, "/static/")
		return []byte(`import("../../` + file + `")`)
	}))
}

// onDemand are the modules that scripts load once they are wanted. Their addresses are relative to those of
// the bundles, for a site may lie below a path.
var onDemand = regexp.MustCompile(`import\("/(js/\w+\.js)"\)`)

// named is an asset with the checksum of its body in its address.
func named(name string, body []byte) asset {
	sum := sha256.Sum256(body)
	return asset{url: "/static/" + hex.EncodeToString(sum[:6]) + "/" + name, body: body}
}

// Styles is the one style sheet of the pages: all of them, in the order of sheets.
const Styles = "css/fusebox.css"

// sheets are the parts of Styles; later ones win.
var sheets = []string{"tokens", "base", "shell", "parts", "chat", "chroma", "pages", "admin"}

// comments are for those who read the source; pages are lighter without them.
// So is white space behind what ends a rule, a declaration, or an item. Of scripts, it is lines
// that are comments, and what lines are indented by: none of their texts spans lines.
var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/\s*`)
	spaces   = regexp.MustCompile(`([{};,])\s+`)
	margins  = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)
)

func styles(all map[string]asset) asset {
	var body []byte
	for _, name := range sheets {
		file := "css/" + name + ".css"
		body = append(body, all[file].body...)
		delete(all, file)
	}
	return named(Styles, spaces.ReplaceAll(comments.ReplaceAll(body, nil), []byte("$1")))
}

// URL is the address of a static file, e.g. of js/shell.js.
func URL(name string) string { return assets()[name].url }

// Get serves a static file under its checksum.
func Get(c echo.Context) error {
	_, name, _ := strings.Cut(c.Param("*"), "/")
	a, ok := assets()[name]
	if !ok {
		return agent.Errorf(agent.NotFound, "There is no such file.")
	}
	// An old page may ask for an older checksum: it gets today's file, uncached.
	cache := "no-cache"
	if strings.HasSuffix(a.url, "/"+c.Param("*")) {
		cache = "public, max-age=31536000, immutable"
	}
	h := c.Response().Header()
	h.Set("Cache-Control", cache)
	// What loads nothing is allowed nothing. The policies of documents weigh as much, on all
	// scripts of a page, as a script.
	if ext := path.Ext(name); ext == ".js" || ext == ".css" {
		h.Set("Content-Security-Policy", "default-src 'none'")
		h.Del("Cross-Origin-Opener-Policy")
	}
	return c.Blob(http.StatusOK, contentType(name), a.body)
}

// contentType does not ask the machine's own table, which differs between machines.
func contentType(name string) string {
	ext := path.Ext(name)
	if known := contentTypes[ext]; known != "" {
		return known
	}
	return cmp.Or(mime.TypeByExtension(ext), "application/octet-stream")
}

var contentTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
