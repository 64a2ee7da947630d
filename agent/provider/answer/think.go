package answer

import (
	"strings"

	"fusebox/agent"
)

// The tags between which some servers leave a model's reasoning in its content.
const (
	openThink  = "<think>"
	closeThink = "</think>"
)

// thinker takes reasoning out of content that arrives in pieces of any size. It
// is reasoning between the tags where the content begins with the opening one,
// and before the closing one where that has a line to itself and none was
// opened: chat templates that open the tag in the prompt leave only its end.
// Tags anywhere else are quoted text.
type thinker struct {
	state thinkState
	// pending may still become a tag.
	pending string
	quoted  fences // to tell a quoted tag
}

type thinkState int

const (
	thinkBegins thinkState = iota
	thinkInside
	thinkAnswer // behind the reasoning: white space before the answer is none of it
	thinkOutside
	thinkOver // no tag means anything any more
)

// thought is a piece of content. all says that everything before it, and it,
// was reasoning.
type thought struct {
	text           string
	reasoning, all bool
}

// feed takes the next piece; more is false at the end of the content.
func (t *thinker) feed(text string, more bool) []thought {
	text = t.pending + text
	t.pending = ""
	var out []thought
	for {
		piece, rest, proceed := t.step(text, more)
		if piece.text != "" || piece.all {
			out = append(out, piece)
		}
		if !proceed {
			t.pending = rest
			return out
		}
		text = rest
	}
}

// step takes one piece off text. proceed is false where the rest has to wait for
// more, or there is none.
func (t *thinker) step(text string, more bool) (piece thought, rest string, proceed bool) {
	switch t.state {
	case thinkBegins:
		return t.begin(text, more)
	case thinkInside:
		before, after, closed := strings.Cut(text, closeThink)
		if closed {
			t.state = thinkAnswer
			return thought{text: before, reasoning: true}, after, true
		}
		keep := mayBecome(text, closeThink, more)
		return thought{text: text[:len(text)-keep], reasoning: true}, text[len(text)-keep:], false
	case thinkAnswer:
		rest = strings.TrimLeft(text, " \r\n\t")
		if rest != "" {
			t.state = thinkOver
		}
		return thought{}, rest, rest != ""
	case thinkOutside:
		return t.outside(text, more)
	default:
		return thought{text: text}, "", false
	}
}

func (t *thinker) begin(text string, more bool) (thought, string, bool) {
	bare := strings.TrimLeft(text, " \r\n\t")
	switch {
	case strings.HasPrefix(bare, openThink):
		t.state = thinkInside
		return thought{}, bare[len(openThink):], true
	case more && strings.HasPrefix(openThink, bare):
		return thought{}, text, false
	default:
		t.state = thinkOutside
		return thought{}, text, true
	}
}

// outside looks for a closing tag that has a line to itself.
func (t *thinker) outside(text string, more bool) (thought, string, bool) {
	const line = "\n" + closeThink
	before, after, found := strings.Cut(text, line)
	if !found {
		keep := mayBecome(text, line, more)
		passed := text[:len(text)-keep]
		t.quoted.write(passed)
		return thought{text: passed}, text[len(text)-keep:], false
	}
	t.quoted.write(before)
	behind := strings.TrimLeft(after, " \r")
	if more && behind == "" {
		return thought{text: before}, text[len(before):], false // does the line end here?
	}
	t.quoted.write("\n")
	if t.quoted.open() || behind != "" && behind[0] != '\n' {
		t.quoted.write(closeThink)
		return thought{text: before + line}, after, true // quoted
	}
	t.state = thinkAnswer
	return thought{text: before, reasoning: true, all: true}, after, true
}

// mayBecome counts the bytes at the end of text that are the beginning of a tag.
func mayBecome(text, tag string, more bool) int {
	if !more {
		return 0
	}
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// addContent adds text, without the reasoning in it; more is false
// at its end.
func (a *Accumulator) addContent(text string, more bool) error {
	for _, t := range a.thinker.feed(text, more) {
		if t.all && !a.announced {
			if err := a.wasThought(); err != nil {
				return err
			}
		}
		var err error
		if t.reasoning {
			err = a.addThought(t.text)
		} else {
			err = a.addText(a.markup.feed(t.text))
		}
		if err != nil {
			return err
		}
	}
	if more {
		return nil
	}
	return a.addText(a.markup.flush())
}

func (a *Accumulator) addText(text string) error {
	a.content.WriteString(text)
	return a.sendText(agent.DeltaText, text)
}

func (a *Accumulator) addThought(text string) error {
	a.reasoning.WriteString(text)
	return a.sendText(agent.DeltaReasoning, text)
}

func (a *Accumulator) sendText(kind agent.DeltaKind, text string) error {
	if text == "" {
		return nil
	}
	return a.Send(agent.Delta{Kind: kind, Text: text})
}

// wasThought makes reasoning of the text so far.
func (a *Accumulator) wasThought() error {
	thought := a.reasoning.String() + a.content.String() + a.markup.drain()
	a.markup = markup{}
	a.reasoning.Reset()
	a.content.Reset()
	a.reasoning.WriteString(thought)
	if err := a.Send(agent.Delta{Kind: agent.DeltaReset}); err != nil {
		return err
	}
	return a.sendText(agent.DeltaReasoning, thought)
}
