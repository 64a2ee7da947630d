package sandboxed

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// minSecret is the length from which on a configured value counts as a secret.
const minSecret = 8

// Secrets are the values of configured variables and headers. They are taken out of what a
// program says, since some print their whole environment. Paths are left in.
//
// Scrub comes before any cut, which could leave half of a secret. Where the text was cut
// before, Head and Tail leave that half out.
type Secrets struct {
	values []string
	names  *strings.Replacer
}

// NewSecrets are the values of settings, each of which is replaced by its name.
func NewSecrets(settings ...map[string]string) Secrets {
	var pairs [][2]string
	for _, values := range settings {
		for name, value := range values {
			_, bare, _ := strings.Cut(value, " ") // "Bearer KEY"
			for _, secret := range []string{value, bare} {
				if len(secret) >= minSecret && !filepath.IsAbs(secret) {
					pairs = append(pairs, [2]string{secret, "[" + name + "]"})
				}
			}
		}
	}
	// The longest first: one may be the beginning of another.
	slices.SortFunc(pairs, func(a, b [2]string) int { return cmp.Or(len(b[0])-len(a[0]), strings.Compare(a[1], b[1])) })
	var s Secrets
	var oldnew []string
	for _, p := range pairs {
		s.values, oldnew = append(s.values, p[0]), append(oldnew, p[0], p[1])
	}
	s.names = strings.NewReplacer(oldnew...)
	return s
}

// Scrub replaces the secrets in a text.
func (s Secrets) Scrub(text string) string { return s.names.Replace(text) }

// Head scrubs the beginning of a text, and returns apart what may be the beginning of a
// secret at its end.
func (s Secrets) Head(text string) (head, rest string) {
	text = s.Scrub(text)
	n := s.part(func(secret string, n int) bool { return strings.HasSuffix(text, secret[:n]) })
	return text[:len(text)-n], text[len(text)-n:]
}

// Tail scrubs the end of a text, without what may be the end of a secret at its beginning.
func (s Secrets) Tail(text string) string {
	n := s.part(func(secret string, n int) bool { return strings.HasPrefix(text, secret[len(secret)-n:]) })
	return s.Scrub(text[n:])
}

// part is the length of the longest part of a secret that is there.
func (s Secrets) part(there func(secret string, n int) bool) (longest int) {
	for _, secret := range s.values {
		for n := len(secret) - 1; n > longest; n-- {
			if there(secret, n) {
				longest = n
			}
		}
	}
	return longest
}
