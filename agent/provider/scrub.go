package provider

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxText bounds, in runes, what is shown of a provider's own words.
const maxText = 500

// keyLike finds keys that are not the configured one: a provider may quote
// what it got, masked or not.
var keyLike = regexp.MustCompile(`(?i)\b(sk|gsk|xai)[-_][\w*.-]{6,}|bearer\s+[\w*.~+/=-]{16,}`)

// minKey is the length from which a key is blotted out of texts as it stands;
// shorter ones are placeholders ("none", "x") whose letters are everywhere.
const minKey = 6

// scrub blots the key out of a text. It comes before any cut, which could
// leave half a key.
func (p *Provider) scrub(s string) string {
	if len(p.key) >= minKey {
		s = strings.ReplaceAll(s, p.key, "[key]")
	}
	return keyLike.ReplaceAllString(s, "[key]")
}

// clip bounds a text to maxText runes on one line.
func clip(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	return string([]rune(s)[:maxText]) + "…"
}

// polish makes a failure fit to be shown and logged.
func (p *Provider) polish(f *failure) *failure {
	f.text = clip(p.scrub(f.text))
	if f.err != nil {
		f.err = scrubbed{text: clip(p.scrub(f.err.Error())), err: f.err}
	}
	return f
}

// excerpt keeps the log from holding a whole body; polish cuts it further.
func excerpt(data []byte) string { return string(data[:min(len(data), maxExcerpt)]) }

const maxExcerpt = 4 << 10

// scrubbed is an error whose text is safe to log while its chain stays whole.
type scrubbed struct {
	text string
	err  error
}

func (s scrubbed) Error() string { return s.text }
func (s scrubbed) Unwrap() error { return s.err }
