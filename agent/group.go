package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxGroup bounds the name of a group of users.
const maxGroup = 60

// GroupName reads the name of a group of users, "" for none. Its error has the
// field's name.
func GroupName(field, text string) (string, error) {
	name := strings.TrimSpace(text)
	bad := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxGroup || strings.ContainsFunc(name, bad) {
		return "", InvalidField(field, "is not the name of a group; allowed: up to %d printable characters", maxGroup)
	}
	return name, nil
}
