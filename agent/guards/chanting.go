package guards

import (
	"unicode/utf8"

	"fusebox/agent"
)

// chanting catches a model that repeats itself within one message, while it
// does. Seven rules read along, character by character, and remember only as much
// as fits their fixed windows:
//
//   - chunks: a piece of 50 characters occurs guard.chant_repeats times, 75
//     characters apart on average at most. The numbers are those of well-known
//     agents, with a tighter distance, because prose returns to its words.
//   - units: up to 300 characters occur guard.chant_units times directly in a
//     row, also where they differ only in a number that rises evenly: sentences
//     and paragraphs that a model falls into, "Step 1: …", "Step 2: …" among
//     them. The row must span 100 characters and the unit hold some letters, so
//     that laughter, lists of numbers and long words are not chants.
//   - exact period, rising counters, sentences, novelty and white space, each in
//     a file of its own.
//
// Text that a person asked the model to repeat is not a chant; see requested.
//
// It leaves alone what repeats by nature: lines of code, tables, lists,
// headings, quotes and rules are not chunks, and as units they count from
// guard.chant_structured on, where numbers must be equal too, those that number
// a list or a heading aside. JSON and CSV count from 40 units on, encoded blocks
// only where they stand still for 3,000 characters.
type chanting struct {
	lines   lineReader
	chunks  chunkWindow
	units   unitWindow
	period  periodWindow
	rising  risingLines
	said    sentenceWindow
	novelty noveltyWindow
	white   whiteRun
	asked   requested

	chunksNeeded, unitsNeeded, structured int

	runes, bytes int
	// part is the beginning of a character whose end is in the next piece.
	part    [utf8.UTFMax]byte
	partLen int
	tripped bool
	found   finding
}

// NewChanting makes the detector for one message. What the person's message, the task,
// asks to have repeated may be.
func NewChanting(s agent.GuardSettings, task string) agent.StreamGuard {
	return &chanting{chunksNeeded: s.ChantRepeats, unitsNeeded: s.ChantUnits, structured: s.ChantStructured, asked: newRequested(task)}
}

func (*chanting) Name() string { return "chanting" }

func (c *chanting) Reset() {
	c.chunks.reset()
	c.units.reset()
	c.period.reset()
	c.rising.reset(c.bytes, c.runes)
	c.said.reset()
	c.novelty.reset()
	c.white = whiteRun{}
	c.lines = lineReader{fence: c.lines.fence, fenced: c.lines.fenced}
	c.tripped = false
}

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
		if c.read(r, size) {
			if c.asked.allows(&c.found, c.bytes) {
				c.Reset()
				continue
			}
			c.tripped = true
			c.bytes += len(text) - i
			return c.found.verdict()
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

// read takes one character of size bytes, and reports whether one of the rules
// has found something.
func (c *chanting) read(r rune, size int) bool {
	start := c.bytes
	c.runes++
	c.bytes += size
	kind := c.lines.read(r)
	c.period.push(r, start, c.lines.encoded)
	if c.repeats(r, start, kind) {
		return true
	}
	if n, need := c.period.row(); n > 0 {
		c.found = exactPeriod(&c.period, n, need)
		return true
	}
	if r != '\n' {
		c.rising.push(r)
	} else if n, block := c.rising.endLine(c.bytes, c.runes, kind); n > 0 {
		c.found = risingCounters(&c.rising, n, block, &c.period)
		return true
	}
	if n, need := c.said.push(r, start, kind); n > 0 && !c.units.follows() {
		c.found = fewSentences(&c.said, n, need, &c.period)
		return true
	}
	certain := c.lines.stage == inLine || r == '\n' // the first characters of a line may still become the mark of a list
	if kind == prose && certain && c.novelty.push(r, start) {
		c.found = noNovelty(&c.novelty, &c.period)
		return true
	}
	if c.white.push(r, start) {
		c.found = whiteSpace(&c.white)
		return true
	}
	return false
}

// repeats asks the rules of chunks and of units.
func (c *chanting) repeats(r rune, start int, kind textKind) bool {
	// Numbers count, except in prose, in a line's beginning, and in headings: there they are counters.
	exact := kind != prose && !c.lines.header
	if kind != prose {
		c.chunks.reset()
	} else if n, distance, from := c.chunks.push(r, start, c.chunksNeeded); n > 0 {
		c.units.push(r, start, exact, kind)
		c.found = repeated(ruleChunks, n, n, from, c.units.tail(distance))
		return true
	}
	if c.lines.cut {
		c.units.reset()
		c.novelty.reset()
	}
	c.units.push(r, start, exact, kind)
	if c.units.period == 0 {
		return false
	}
	n, need := c.units.row(c.unitsNeeded, c.structured)
	if n > 0 {
		c.found = repeated(ruleUnits, n, need, c.units.from, c.units.tail(c.units.period))
	}
	return n > 0
}
