package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fusebox/agent"
)

// maxPerson bounds the name of a person.
const maxPerson = 60

// Plain is a text with common characters in the place of other forms of them, such as wide
// letters or ligatures.
func Plain(text string) string { return norm.NFKC.String(text) }

// Person reads what a person wants to be called, "" for nothing: a plain text that is not
// an address, which could be another's. Its error has the field's name.
func Person(field, text string) (string, error) {
	name := strings.Join(strings.Fields(Plain(text)), " ")
	bad := func(r rune) bool { return r == '@' || !unicode.IsPrint(r) }
	if !utf8.ValidString(text) || utf8.RuneCountInString(name) > maxPerson || strings.ContainsFunc(name, bad) {
		return "", agent.InvalidField(field, "is not a name; allowed: up to %d printable characters without @", maxPerson)
	}
	return name, nil
}
