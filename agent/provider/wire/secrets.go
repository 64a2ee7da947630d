package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
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

// encodings are a secret as it stands within other formats.
func encodings(secret string) []string {
	all := []string{url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	if raw, err := json.Marshal(secret); err == nil {
		all = append(all, strings.Trim(string(raw), `"`))
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			all = append(all, within(alphabet, secret, before))
		}
	}
	return all
}

// within is what base64 makes of a secret behind a number of other bytes: the
// characters that the secret alone decides. Three bytes become four characters.
func within(alphabet *base64.Encoding, secret string, before int) string {
	whole := alphabet.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
	from := (8*before + 5) / 6           // the first character without a bit of what is before
	to := (before + len(secret)) * 8 / 6 // the first one with a bit of what follows
	return whole[from:to]
}

// How much of a secret has to stand before a mask, and is looked for on its two sides.
const (
	shownOfMasked  = 4
	soughtOfMasked = 16
)

// disguises find a secret in which something stands between the characters, and one
// whose middle is masked.
func disguises(secret string) []*regexp.Regexp {
	chars := strings.Split(secret, "")
	for i, c := range chars {
		chars[i] = regexp.QuoteMeta(c)
	}
	all := []*regexp.Regexp{regexp.MustCompile(`(?i)` + strings.Join(chars, `[\s,;:|/\\'"_.-]{0,3}`))}
	if len(chars) < 2*shownOfMasked {
		return all
	}
	head := chars[:min(len(chars)-shownOfMasked, soughtOfMasked)]
	tail := chars[len(chars)-min(len(chars)-shownOfMasked, soughtOfMasked):]
	return append(all, regexp.MustCompile(`(?i)`+anyHead(head)+`(?:[*•·xX#…]{2,}|\.{2,}|…|\[[^\]]{1,30}\])`+anyTail(tail)))
}

// anyHead matches the first characters, and as many of those that follow as there are.
func anyHead(chars []string) string {
	rest := ""
	for i := len(chars) - 1; i >= shownOfMasked; i-- {
		rest = `(?:` + chars[i] + rest + `)?`
	}
	return strings.Join(chars[:shownOfMasked], "") + rest
}

// anyTail matches as many of the last characters as there are, none of them too.
func anyTail(chars []string) string {
	rest := ""
	for _, c := range chars {
		rest = `(?:` + rest + c + `)?`
	}
	return rest
}

// maxRequestID bounds how an endpoint may name a call.
const maxRequestID = 128

// RequestID is the first of some names that has letters left when all but
// printable ASCII is taken out, as someone may paste it into an e-mail. One comes with
// every answer, so secrets in disguise are not looked for in it.
func (s Secrets) RequestID(names ...string) string {
	for _, name := range names {
		clean := strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return -1
			}
			return r
		}, keyLike.ReplaceAllString(s.written(name[:min(len(name), 4*maxRequestID)]), "[key]"))
		if clean != "" {
			return clean[:min(len(clean), maxRequestID)]
		}
	}
	return ""
}
