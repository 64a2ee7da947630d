package documents

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"

	"fusebox/agent"
)

// maxExtension is how long the end of a name may be that is kept when it is cut.
const maxExtension = 10

// NameOf is a document's name after what a browser calls its file: without folders
// and without characters that are not seen. A name that is not in UTF-8 is Chinese.
func NameOf(file string) string {
	if !utf8.ValidString(file) {
		if chinese, err := simplifiedchinese.GB18030.NewDecoder().String(file); err == nil && !strings.ContainsRune(chinese, utf8.RuneError) {
			file = chinese
		}
		file = strings.ToValidUTF8(file, "_")
	}
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if Unseen(r) {
			return -1
		}
		return r
	}, name))
	if strings.Trim(name, "./") == "" {
		return "document"
	}
	ext := path.Ext(strings.TrimLeft(name, "."))
	if utf8.RuneCountInString(ext) > maxExtension {
		ext = ""
	}
	stem := []rune(strings.TrimSuffix(name, ext))
	return string(stem[:min(len(stem), agent.MaxDocumentName-utf8.RuneCountInString(ext))]) + ext
}

// Unseen reports whether a character is not seen, or turns others around.
func Unseen(r rune) bool { return !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) }
