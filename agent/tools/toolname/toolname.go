// Package toolname makes the names of tools from outside. Of this module it imports agent only.
package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"fusebox/agent"
)

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
	name := source + agent.SourceSeparator + plain
	if plain == tool && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(tool))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(mark))] + mark
}
