package wire

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText bounds, in runes, what is shown of a provider's own words.
const maxText = 500

// keyLike finds keys that are not the configured one: a provider may quote
// what it got, masked or not.
var keyLike = regexp.MustCompile(`(?i)\b(sk|gsk|xai)[-_][\w*.-]{6,}|bearer\s+[\w*.~+/=-]{16,}`)

// minKey is the length from which a key is redacted from texts unchanged;
// shorter ones are placeholders ("none", "x") whose letters are everywhere.
const minKey = 6

// Secrets are the words that no text, event or log may contain.
type Secrets struct {
	words     []string // verbatim and encoded, the longest first: one may be part of another
	disguises []*regexp.Regexp
}

// NewSecrets are words that are long enough to be secrets, verbatim, encoded, masked in
// their middle, and spelled out.
func NewSecrets(words []string) Secrets {
	var s Secrets
	for _, w := range words {
		if len(w) < minKey {
			continue
		}
		s.words = append(append(s.words, w), encodings(w)...)
		s.disguises = append(s.disguises, disguises(w)...)
	}
	slices.SortFunc(s.words, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	s.words = slices.Compact(s.words)
	return s
}

// scrub blots the secrets out of a text, in whatever form. It comes before any cut,
// which could leave half a key.
func (s Secrets) scrub(text string) string {
	text = s.written(text)
	for _, d := range s.disguises {
		text = d.ReplaceAllString(text, "[key]")
	}
	return keyLike.ReplaceAllString(text, "[key]")
}

// verbatim is scrub for what comes with every answer: it is quicker, and finds
// secrets that are written out or encoded.
func (s Secrets) verbatim(text string) string {
	return keyLike.ReplaceAllString(s.written(text), "[key]")
}

func (s Secrets) written(text string) string {
	for _, w := range s.words {
		text = strings.ReplaceAll(text, w, "[key]")
	}
	return text
}

// clip bounds a text to maxText runes on one line.
func clip(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	return string([]rune(s)[:maxText]) + "…"
}

// Polish makes a failure fit to be shown and logged.
func (s Secrets) Polish(f *Failure) *Failure {
	f.text = clip(s.scrub(f.text))
	if f.Err != nil {
		f.Err = scrubbed{text: clip(s.scrub(f.Err.Error())), err: f.Err}
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
