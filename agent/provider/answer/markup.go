package answer

import "strings"

// markup holds back what may be a tool call that the model wrote as text: bare
// servers of some models do not read their calls. Such a call begins a line at
// the top level of the answer; in a code fence, a quotation or the middle of a
// line it is quoted and stays text.
type markup struct {
	pending string // the beginning of a line that may become a call, or a whole one
	found   bool
	over    bool // nothing is looked for any more
	midLine bool
	started bool // something other than white space was passed on
	quoted  fences
}

// maxMarkup bounds what is held back.
const maxMarkup = 256 << 10

// feed takes the next piece and returns what is not a call.
func (m *markup) feed(text string) string {
	if m.over {
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
		m.pass(line, whole)
		out.WriteString(line)
		m.pending = rest
	}
	return out.String()
}

// waits looks at the beginning of a line and reports whether it has to be pending
// back: it is a call, or may become one.
func (m *markup) waits() bool {
	if m.quoted.open() {
		return false
	}
	wait := false
	for _, d := range dialects {
		is, may := d.begins(m.pending, m.started)
		m.found = m.found || is
		wait = wait || is || may
	}
	return wait
}

func (m *markup) pass(line string, whole bool) {
	m.midLine = !whole
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

// bareBegins looks for a JSON object whose first key is a name, however it is
// laid out.
func bareBegins(text string) (is, may bool) {
	rest, object := strings.CutPrefix(text, "{")
	if !object {
		return false, text == ""
	}
	return begins(strings.TrimLeft(rest, " \t\r\n"), `"name"`)
}

// begins reports whether text begins with mark, or may when there is more of it.
func begins(text, mark string) (is, may bool) {
	return strings.HasPrefix(text, mark), len(text) < len(mark) && strings.HasPrefix(mark, text)
}
