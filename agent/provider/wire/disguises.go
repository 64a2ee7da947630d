package wire

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

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
