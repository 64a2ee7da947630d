package sandboxed

import (
	"path/filepath"
	"strings"
)

// minSecret is the length from which on a configured value counts as a secret.
const minSecret = 8

// Scrubber keeps the values of configured variables and headers out of what a program says:
// some print their whole environment. Paths are no secrets.
func Scrubber(settings ...map[string]string) *strings.Replacer {
	var pairs []string
	for _, values := range settings {
		for name, value := range values {
			_, bare, _ := strings.Cut(value, " ") // "Bearer KEY"
			for _, secret := range []string{value, bare} {
				if len(secret) >= minSecret && !filepath.IsAbs(secret) {
					pairs = append(pairs, secret, "["+name+"]")
				}
			}
		}
	}
	return strings.NewReplacer(pairs...)
}
