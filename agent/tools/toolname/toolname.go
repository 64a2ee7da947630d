// Package toolname makes the names of tools from outside. It imports the standard library only.
package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// separator is between the names of a source and a tool. No source's name contains it, or
// ends with a part of it, so no two sources can make the same name.
const separator = "__"

// maxName is the longest name that models' endpoints take.
const maxName = 64

// Of is the name under which a source's tool is offered. One that endpoints would not
// take is rewritten; a hash of the original keeps it from becoming another tool's.
func Of(source, tool string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, tool)
	name := source + separator + plain
	if plain == tool && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(tool))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(mark))] + mark
}
