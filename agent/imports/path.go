package imports

import (
	"archive/zip"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/unicode/norm"
)

// ignored are folders and files that programs keep for themselves: nobody means to import them.
var ignored = []string{"__macosx", ".obsidian", ".trash", ".git", ".svn", ".ds_store", "thumbs.db", "desktop.ini"}

// isIgnored reports whether a path is of a file that is left out without a word.
func isIgnored(p string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(strings.ReplaceAll(p, `\`, "/")), "/"), func(part string) bool {
		return slices.Contains(ignored, part) || strings.HasPrefix(part, "._")
	})
}

var (
	drive  = regexp.MustCompile(`^[A-Za-z]:`)
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)`)
)

// cleanPath is a path as documents remember it, which is no name on any disk; it is false for one that leads out of its
// folder or names a device.
func cleanPath(name string) (string, bool) {
	p := strings.ReplaceAll(norm.NFC.String(name), `\`, "/")
	if p == "" || strings.HasPrefix(p, "/") || drive.MatchString(p) || strings.ContainsRune(p, 0) {
		return p, false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || device.MatchString(part) {
			return p, false
		}
	}
	return path.Clean(p), true
}

// nameIn is the name of an entry. Archives without the mark of UTF-8 have names in the encoding of
// the machine that made them: Chinese, or that of the first PCs.
func nameIn(f *zip.File) string {
	if utf8.ValidString(f.Name) {
		return f.Name
	}
	decoder := charmap.CodePage437.NewDecoder()
	if isChinese(f.Name) {
		decoder = simplifiedchinese.GB18030.NewDecoder()
	}
	name, err := decoder.String(f.Name)
	if err != nil {
		name = f.Name
	}
	return strings.ToValidUTF8(name, "_")
}

// isChinese reports whether the bytes beyond ASCII are most probably Chinese characters: pairs of
// them, whereas letters with accents stand alone between others.
func isChinese(name string) bool {
	pairs, alone := 0, 0
	for i := 0; i < len(name); i++ {
		switch {
		case name[i] < 0x80:
		case name[i] > 0x80 && name[i] < 0xff && i+1 < len(name) && name[i+1] >= 0xa1:
			pairs++
			i++
		default:
			alone++
		}
	}
	return pairs > 0 && pairs >= alone
}

// exportID is what Notion puts behind the name of each page, and Export how it calls its archives.
var (
	exportID   = regexp.MustCompile(`(?i)[ _-]?[0-9a-f]{32}(_all)?$`)
	exportName = regexp.MustCompile(`(?i)^(?:[0-9a-f-]{32,36}_)?export(?:block)?-[0-9a-f-]{32,36}`)
	copyMark   = regexp.MustCompile(` ?\(\d{1,3}\)$`)
)

// stem is a name without its ending.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// documentName is what the document of a path is called: without the id of an export.
func documentName(p string) string {
	base := path.Base(p)
	name := stem(base)
	if short := strings.TrimSpace(exportID.ReplaceAllString(name, "")); short != "" {
		name = short
	}
	return name + path.Ext(base)
}

// NameOf is what an import is called after the file or folder that is imported: the same one again
// has the same name, although browsers number their downloads and exports are numbered anew.
func NameOf(source string) string {
	name := source
	switch strings.ToLower(path.Ext(source)) {
	case ".html", ".htm":
		return "Bookmarks"
	case ".zip":
		name = stem(source)
	}
	if exportName.MatchString(name) {
		return "Notion"
	}
	return strings.TrimSpace(copyMark.ReplaceAllString(name, ""))
}
