package text

import (
	"slices"

	"golang.org/x/text/language"
)

// Languages are those that pages can be shown in, English first.
func Languages() []language.Tag { return slices.Clone(loaded().tags) }

// Match is the language to show: what a person has set, else the best of their
// Accept-Language header, else English.
func Match(setting, accept string) language.Tag {
	lib := loaded()
	_, i := language.MatchStrings(lib.matcher, setting, accept)
	return lib.tags[i]
}

// Known is the language of a tag, such as zh for zh-CN; ok is false where pages cannot be
// shown in it.
func Known(tag string) (known language.Tag, ok bool) {
	parsed, err := language.Parse(tag)
	if err != nil {
		return language.Und, false
	}
	lib := loaded()
	_, i, _ := lib.matcher.Match(parsed)
	asked, _ := parsed.Base()
	shown, _ := lib.tags[i].Base()
	return lib.tags[i], asked == shown
}

func printerOf(tag language.Tag) *Printer {
	lib := loaded()
	_, i, _ := lib.matcher.Match(tag)
	return lib.printers[i]
}
