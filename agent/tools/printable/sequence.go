package printable

import "regexp"

// maxString bounds what a sequence may enclose, such as the address of a link or the title
// of a window: what goes on for longer is text after a stray beginning.
const maxString = 4 << 10

// sequence is what terminals obey, of ECMA-48: a control sequence, a string with its end,
// or an escape of its own. Each begins with ESC or with its single character.
var sequence = regexp.MustCompile(`\A(?:` +
	`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
	`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}\x{9e}\x{9f}])[^\x07\x18\x1a\x1b\x{9c}\n]*(?:\x07|\x1b\\|\x{9c})` +
	`|\x1b[ -/]*[0-~])`)

// sequenceLen is how long the sequence is with which a text begins, 0 for none.
func sequenceLen(text string) int {
	if text[0] != '\x1b' && text[0] != '\xc2' {
		return 0
	}
	return len(sequence.FindString(text[:min(len(text), maxString)]))
}
