package sandboxed

import (
	"path/filepath"
	"strings"
)

// minSecret is the length from which on a configured value counts as a secret.
const minSecret = 8

// Scrubber removes the values of configured variables and headers from a program's output,
// since some programs print their whole environment. Paths are left in.
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
