package answer

import (
	"strings"

	"fusebox/agent"
)

// markup holds back what may be a tool call that the model wrote as text: bare
// servers of some models do not read their calls. Such a call begins a line at
// the top level of the answer, or with a token of the model's own; in a code fence,
// a quotation or inline code it is quoted and stays text.
type markup struct {
	pending string // the beginning of a line that may become a call, or a whole one
	found   bool
	over    bool // nothing is looked for any more
	midLine bool
	started bool // something other than white space was passed on
	ticks   int  // backticks of the line so far
	quoted  fences
}

// maxMarkup bounds what is held back.
const maxMarkup = 256 << 10

// feed takes the next piece and returns what is not a call.
func (m *markup) feed(text string) string {
	if m.over {
		return text
	}
	if m.midLine && m.pending == "" && !strings.ContainsFunc(text, mayMatter) {
		m.pass(text, false)
		return text
	}
	m.pending += text
	if m.found {
		if len(m.pending) > maxMarkup {
			return m.drain()
		}
		return ""
	}
	var out strings.Builder
	for m.pending != "" {
		if !m.midLine && m.waits() {
			return out.String()
		}
		line, rest, whole := strings.Cut(m.pending, "\n")
		if whole {
			line += "\n"
		}
		at := m.token(line)
		m.pass(line[:at], whole && at == len(line))
		out.WriteString(line[:at])
		if at < len(line) {
			m.pending = m.pending[at:]
			return out.String()
		}
		m.pending = rest
	}
	return out.String()
}

// mayMatter finds what a token of a model begins with, or the end of a line.
func mayMatter(r rune) bool { return r == '<' || r == '[' || r == '\n' }

// maxIndent is how deep a line may be indented that is no code.
const maxIndent = 3

// waits looks at the beginning of a line and reports whether it has to be pending
// back: it is a call, or may become one.
func (m *markup) waits() bool {
	line := strings.TrimLeft(m.pending, " ")
	if m.quoted.open() || len(m.pending)-len(line) > maxIndent || line != "" && !opens[line[0]] {
		return false
	}
	wait := false
	for _, d := range dialects {
		is, may := d.begins(line, m.started)
		m.found = m.found || is
		wait = wait || is || may
	}
	return wait
}

// opens are the bytes with which dialects begin.
var opens = func() (set [256]bool) {
	for _, d := range dialects {
		set[d.open[0]] = true
	}
	return set
}()

// token is where in a part of a line a model's own token begins a call, or may when
// there is more of the line; the part's length where none does.
func (m *markup) token(line string) int {
	for at := 0; ; at++ {
		next := strings.IndexAny(line[at:], "<[")
		if next < 0 {
			return len(line)
		}
		at += next
		for _, d := range dialects {
			is, may := begins(line[at:], d.open)
			if d.control && (is || may) && !m.quotes(line[:at]) {
				m.found = is
				return at
			}
		}
	}
}

// quotes reports whether what follows on a line is quoted.
func (m *markup) quotes(before string) bool {
	line := m.quoted.line + before
	bare := strings.TrimLeft(line, " ")
	return m.quoted.open() || strings.HasPrefix(bare, ">") || len(line)-len(bare) > maxIndent || strings.HasPrefix(line, "\t") ||
		(m.ticks+strings.Count(before, "`"))%2 == 1
}

func (m *markup) pass(line string, whole bool) {
	m.midLine = !whole
	if m.ticks += strings.Count(line, "`"); whole {
		m.ticks = 0
	}
	m.quoted.write(line)
	m.started = m.started || strings.TrimSpace(line) != ""
}

// flush returns what was held back and did not become a call.
func (m *markup) flush() string {
	if m.found {
		return ""
	}
	text := m.pending
	m.pending = ""
	m.midLine = m.midLine || text != ""
	m.quoted.write(text)
	return text
}

// take returns the call that was held back, "" where there is none.
func (m *markup) take() string {
	if !m.found {
		return ""
	}
	return m.drain()
}

// drain gives everything up.
func (m *markup) drain() string {
	text := m.pending
	m.pending, m.found, m.over = "", false, true
	return text
}

// addMarkup makes calls of what the model wrote as text, where it may. What was meant to
// be one and cannot be made is told to the model; else the text is text after all, and the
// person is told that nothing was run where it may have been meant otherwise.
func (a *Accumulator) addMarkup() error {
	pending := a.markup.take()
	if pending == "" {
		return nil
	}
	r, what, why := readMarkup(pending, a.markup.midLine, a.tools)
	switch {
	case len(a.calls) > 0 || what == isProse:
		return a.addText(pending)
	case what == isMistake:
		a.mistake = why
		return nil
	case what == isShown:
		if err := a.addText(pending); err != nil {
			return err
		}
		return a.Send(agent.Delta{Kind: agent.DeltaNotice, Text: "The model wrote a tool call as text. It was not run: " + why + "."})
	}
	if err := a.addThought(r.thought); err != nil {
		return err
	}
	if err := a.addText(r.text); err != nil {
		return err
	}
	a.addCalls(r.calls)
	return nil
}

// addThoughtCalls makes the calls with which the reasoning ends of an answer that has nothing
// else: some models never get out of it.
func (a *Accumulator) addThoughtCalls() {
	if len(a.calls) > 0 || a.mistake != "" || strings.TrimSpace(a.content.String()) != "" {
		return
	}
	var m markup
	m.feed(a.reasoning.String())
	if r, what, _ := readMarkup(m.take(), m.midLine, a.tools); what == isCalls {
		a.addCalls(r.calls)
	}
}

func (a *Accumulator) addCalls(calls []agent.CallRequest) {
	for _, c := range calls {
		a.calls = append(a.calls, &call{name: c.Name, args: []byte(c.Arguments)})
	}
	if len(calls) > 0 && (a.finish == "" || a.finish == finishStop) {
		a.finish = finishCalls
	}
}
