package answer

import (
	"regexp"
	"strings"

	"fusebox/agent"
)

// markup holds back what may be a tool call that the model wrote as text: bare
// servers of some models do not read their calls. Such a call begins a line at
// the top level of the answer, or with a token of the model's own; in a code fence,
// a quotation or inline code it is quoted and stays text.
type markup struct {
	pending string          // the beginning of a line that may become a call, or of a call
	held    strings.Builder // the rest of a call of which enough was seen to know it
	found   *dialect        // of the call that is held back
	over    bool            // nothing is looked for any more
	midLine bool
	started bool // something other than white space was passed on
	ticks   int  // backticks of the line so far
	quoted  fences
}

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
	if m.found != nil && len(m.pending) >= maxTold {
		if m.held.WriteString(text); m.held.Len() > maxMarkup {
			return m.drain()
		}
		return ""
	}
	m.pending += text
	var out strings.Builder
	for m.pending != "" {
		if m.found == nil && !m.midLine && m.waits() {
			return out.String()
		}
		if m.found != nil {
			if !m.found.tells(m.pending) {
				return out.String()
			}
			out.WriteString(m.skip())
			continue
		}
		line, rest, whole := strings.Cut(m.pending, "\n")
		if whole {
			line += "\n"
		}
		at := m.token(line)
		m.pass(line[:at], whole && at == len(line))
		out.WriteString(line[:at])
		if at == len(line) {
			m.pending = rest
			continue
		}
		if m.pending = m.pending[at:]; m.found == nil {
			return out.String()
		}
	}
	return out.String()
}

// skip passes on the mark of a call that is none after all; one may follow.
func (m *markup) skip() string {
	at := strings.Index(m.pending, m.found.open) + len(m.found.open)
	mark := m.pending[:at]
	m.pending, m.found = m.pending[at:], nil
	m.pass(mark, false)
	return mark
}

// mayMatter finds what a token of a model begins with, or the end of a line.
func mayMatter(r rune) bool { return r == '<' || r == '[' || r == '\n' }

// maxIndent is the deepest indentation of a line that is not code.
const maxIndent = 3

// waits looks at the beginning of a line: it finds a call there, or reports that one may
// begin when there is more of it.
func (m *markup) waits() bool {
	line := strings.TrimLeft(m.pending, " ")
	if m.quoted.open() || len(m.pending)-len(line) > maxIndent || line != "" && !opens[line[0]] {
		return false
	}
	wait := false
	for i, d := range dialects {
		is, may := d.begins(line, m.started)
		if is {
			m.found = &dialects[i]
			return false
		}
		wait = wait || may
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
		for i, d := range dialects {
			is, may := begins(line[at:], d.open)
			if !d.control || !is && !may || m.quotes(line[:at]) {
				continue
			}
			if is {
				m.found = &dialects[i]
			}
			return at
		}
	}
}

// quotes reports whether what follows on a line is quoted: in a quotation, also one in a
// list, a table, quotation marks, or code.
func (m *markup) quotes(before string) bool {
	line := m.quoted.line + before[:min(len(before), maxFenceLine)]
	bare := strings.TrimLeft(line, " ")
	end := m.quoted.line + before[max(len(before)-maxFenceLine, 0):]
	return m.quoted.open() || quotation.MatchString(line) || opened.MatchString(end[max(len(end)-maxFenceLine, 0):]) ||
		len(line)-len(bare) > maxIndent || strings.HasPrefix(line, "\t") || (m.ticks+strings.Count(before, "`"))%2 == 1
}

// How a line of a quotation or a table begins, and what ends with a quotation mark that opens.
var (
	quotation = regexp.MustCompile(`^ *(?:(?:[-*+]|\d+[.)]) +)*[>|]`)
	opened    = regexp.MustCompile(`(?:^|[\s(:：])["'‘]$|[“„«「『][^\s”»」』]*$`)
)

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
	if m.found != nil {
		return ""
	}
	text := m.pending
	m.pending = ""
	m.midLine = m.midLine || text != ""
	m.quoted.write(text)
	return text
}

func (m *markup) take() string {
	if m.found == nil {
		return ""
	}
	return m.drain()
}

func (m *markup) drain() string {
	text := m.pending + m.held.String()
	m.held.Reset()
	m.pending, m.found, m.over = "", nil, true
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
		if a.mistake = why; why == notWhole && a.finish == finishLength {
			a.mistake = "it was cut off at the output limit"
		}
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
// else: some models never get out of it. Reasoning that was cut short may have gone on.
func (a *Accumulator) addThoughtCalls() {
	if a.cutShort() || len(a.calls) > 0 || a.mistake != "" || strings.TrimSpace(a.content.String()) != "" {
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

// fences follows the code fences of a markdown text that comes in pieces: text
// inside them is quoted.
type fences struct {
	line string // the current one, as much of it as matters
	mark string // what opened the fence that is open, "" for none
}

// maxFenceLine bounds the part of a line that is kept to see whether it is a fence.
const maxFenceLine = 200

func (f *fences) open() bool { return f.mark != "" }

func (f *fences) write(text string) {
	for text != "" {
		line, rest, ends := strings.Cut(text, "\n")
		if len(f.line) < maxFenceLine {
			f.line += line[:min(len(line), maxFenceLine)]
		}
		if !ends {
			return
		}
		f.end()
		text = rest
	}
}

// end judges the line that is over: a fence opens with three marks or more, and
// closes with at least as many of the same and nothing behind them.
func (f *fences) end() {
	line := strings.TrimSpace(f.line)
	f.line = ""
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		n := len(line) - len(rest)
		switch {
		case n < 3:
		case f.mark == "" && (c == "~" || !strings.Contains(rest, c)):
			f.mark = line[:n]
			return
		case f.mark != "" && rest == "" && strings.HasPrefix(line, f.mark):
			f.mark = ""
			return
		}
	}
}
