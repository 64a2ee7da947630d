package guards

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"fusebox/agent"
)

// chanting catches a model that repeats itself within one message, while it
// does. Two rules read along, character by character, and remember only as much
// as fits their fixed windows:
//
//   - chunks: a piece of 50 characters occurs guard.chant_repeats times, 75
//     characters apart on average at most. The numbers are those of well-known
//     agents, with a tighter distance, because prose returns to its words.
//   - units: up to 300 characters occur guard.chant_units times directly in a
//     row, also where they differ only in a number: sentences and paragraphs
//     that a model falls into, "Step 1: …", "Step 2: …" among them. The row must
//     span 100 characters and the unit hold some letters, so that laughter,
//     lists of numbers and long words are not chants.
//
// It leaves alone what repeats by nature: lines of code, tables, lists,
// headings, quotes and rules are not chunks, and as units they count from
// guard.chant_structured on, where numbers must be equal too, those that number
// a list or a heading aside. JSON counts from 40 units on, encoded blocks never.
type chanting struct {
	lines  lineReader
	chunks chunkWindow
	units  unitWindow

	repeats, unitsNeeded, structured int

	runes, bytes int
	// part is the beginning of a character whose end is in the next piece.
	part    [utf8.UTFMax]byte
	partLen int
	tripped bool
}

// NewChanting makes the detector for one message.
func NewChanting(s agent.GuardSettings) agent.StreamGuard {
	return &chanting{repeats: s.ChantRepeats, unitsNeeded: s.ChantUnits, structured: s.ChantStructured}
}

// Name implements agent.StreamGuard.
func (*chanting) Name() string { return "chanting" }

// Reset implements agent.StreamGuard.
func (c *chanting) Reset() {
	c.chunks.reset()
	c.units.reset()
	c.lines = lineReader{fence: c.lines.fence, fenced: c.lines.fenced}
	c.tripped = false
}

// Position is how many characters were read, up to and with the one that tripped.
func (c *chanting) Position() int { return c.runes }

// Write implements agent.StreamGuard.
func (c *chanting) Write(text string) agent.Verdict {
	for i := 0; i < len(text); {
		if c.tripped {
			c.bytes += len(text) - i
			break
		}
		r, size := rune(text[i]), 1
		switch {
		case c.partLen > 0 || (r >= utf8.RuneSelf && !utf8.FullRuneInString(text[i:])):
			var whole bool
			if r, size, whole = c.join(text[i]); !whole {
				i++
				continue
			}
			i++
		case r >= utf8.RuneSelf:
			r, size = utf8.DecodeRuneInString(text[i:])
			i += size
		default:
			i++
		}
		if v := c.read(r, size); v.Level > agent.Pass {
			c.bytes += len(text) - i
			return v
		}
	}
	return agent.Verdict{}
}

// join adds a byte to a character that was cut between two pieces.
func (c *chanting) join(b byte) (r rune, size int, whole bool) {
	c.part[c.partLen] = b
	c.partLen++
	if !utf8.FullRune(c.part[:c.partLen]) {
		return 0, 0, false
	}
	r, _ = utf8.DecodeRune(c.part[:c.partLen])
	size, c.partLen = c.partLen, 0
	return r, size, true
}

// read takes one character of size bytes.
func (c *chanting) read(r rune, size int) agent.Verdict {
	start := c.bytes
	c.runes++
	c.bytes += size
	kind := c.lines.read(r)
	if kind != prose {
		c.chunks.reset()
	} else if n, distance, from := c.chunks.push(r, start, c.repeats); n > 0 {
		c.units.push(r, start, c.lines.exact(kind), kind)
		return c.verdict(n, n, from, c.units.tail(distance))
	}
	if c.lines.cut {
		c.units.reset()
	}
	c.units.push(r, start, c.lines.exact(kind), kind)
	if n, need := c.units.row(c.unitsNeeded, c.structured); n > 0 {
		return c.verdict(n, need, c.units.from, c.units.tail(c.units.period))
	}
	return agent.Verdict{}
}

// maxQuoted bounds the repeated text in a verdict's sentence.
const maxQuoted = 60

func (c *chanting) verdict(count, threshold, keep int, unit []rune) agent.Verdict {
	c.tripped = true
	unit = fromItsBeginning(unit)
	quoted := strings.Join(strings.Fields(string(unit[:min(len(unit), maxQuoted)])), " ")
	if len(unit) > maxQuoted {
		quoted += "…"
	}
	return agent.Verdict{
		Level: agent.Pause, Detector: c.Name(), Key: "chant", Count: count, Threshold: threshold, Keep: keep,
		Message: fmt.Sprintf("The answer has repeated itself %d times: %q", count, quoted),
		Excerpt: strings.TrimSpace(string(unit)), Reason: agent.StopLoop,
	}
}

// fromItsBeginning turns a unit round so that it begins behind the end of a
// sentence, or of a word, where it holds one.
func fromItsBeginning(unit []rune) []rune {
	at := lastOf(unit, func(r rune) bool { return strings.ContainsRune(".!?。！？\n", r) })
	if at < 0 {
		at = lastOf(unit, unicode.IsSpace)
	}
	turned := append(append([]rune{}, unit[at+1:]...), unit[:at+1]...)
	for range turned {
		if !unicode.IsSpace(turned[0]) {
			break
		}
		turned = append(turned[1:], turned[0])
	}
	return turned
}

func lastOf(unit []rune, is func(rune) bool) int {
	for i := len(unit) - 1; i >= 0; i-- {
		if is(unit[i]) {
			return i
		}
	}
	return -1
}
