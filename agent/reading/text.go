package reading

import (
	"context"
	"strings"

	"fusebox/agent"
	"fusebox/agent/encoded"
)

// maxWidth is how many bytes of a file a byte of its text may take in any encoding.
const maxWidth = 2

// raw is the file as far as text is kept of it; it notes whether that is all.
func (in input) raw(b *builder) (raw string, whole bool, problem agent.DocumentProblem) {
	head, err := in.head(int64(maxWidth * in.options.Text))
	if err != nil {
		return "", false, agent.ProblemBroken
	}
	whole = int64(len(head)) == in.size
	if !whole {
		b.note(agent.ReadingNote{Code: agent.NoteCut})
	}
	return string(head), whole, ""
}

// text is what the file says, with "\n" behind its lines. Bytes that are no text are left to
// the builder, which counts them.
func (in input) text(b *builder) (string, agent.DocumentProblem) {
	raw, whole, problem := in.raw(b)
	if problem != "" {
		return "", problem
	}
	text, ok := encoded.Read(raw, !whole)
	if chosen := in.options.Choice.Encoding; chosen != "" {
		text, ok = encoded.ReadAs(chosen, raw, !whole)
	}
	if ok {
		raw, b.reading.Encoding = text.Content, text.Encoding()
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(raw), ""
}

// readText reads plain text; form feeds part its pages.
func readText(_ context.Context, in input, b *builder) agent.DocumentProblem {
	text, problem := in.text(b)
	paged, line, number := strings.Contains(text, "\f"), 1, 0
	for page := range strings.SplitSeq(text, "\f") {
		if number++; paged {
			b.page(number, "")
		}
		body := strings.TrimLeft(page, "\n")
		b.begin(agent.Section{Line: line + len(page) - len(body)})
		b.write(body)
		line += strings.Count(page, "\n")
		if b.isFull {
			break
		}
	}
	return problem
}

// readCode reads what programs are made of: its lines stay as they are.
func readCode(_ context.Context, in input, b *builder) agent.DocumentProblem {
	text, problem := in.text(b)
	b.begin(agent.Section{Kind: agent.KindCode, Line: 1})
	b.write(text)
	return problem
}
