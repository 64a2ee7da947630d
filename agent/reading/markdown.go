package reading

import (
	"context"
	"regexp"
	"strings"

	"fusebox/agent"
)

var (
	atxHeading = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	fenceStart = regexp.MustCompile("^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$")
	listItem   = regexp.MustCompile(`^[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)`)
	underline  = regexp.MustCompile(`^ {0,3}(?:=+|-+)[ \t]*$`)
	rule       = regexp.MustCompile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
)

// markdown takes a text line by line, and keeps it as it is written, but for tables.
type markdown struct {
	b      *builder
	number int // of the line, from 1

	paragraph []string // lines that may still become a heading, or begin a table
	inList    bool     // indented lines are part of an item
	fence     string   // what the open fence begins with
	isCode    bool     // indented code is open
	columns   int      // of the open table
}

// readMarkdown reads a text with headings, code, and tables.
func readMarkdown(ctx context.Context, in input, b *builder) agent.DocumentProblem {
	text, problem := in.text(b)
	m := &markdown{b: b}
	text = m.frontMatter(text)
	for line := range strings.SplitSeq(text, "\n") {
		if b.isFull || ctx.Err() != nil {
			break
		}
		m.number++
		if !m.goesOn(line) {
			m.block(line)
		}
	}
	m.flushAt(m.number + 1)
	return problem
}

// goesOn takes a line that is part of the open fence, code, or table.
func (m *markdown) goesOn(line string) bool {
	switch {
	case m.fence != "":
		m.b.write(line + "\n")
		if bare := strings.TrimSpace(line); len(bare) >= len(m.fence) && strings.Trim(bare, m.fence[:1]) == "" {
			m.fence = ""
			m.b.end()
		}
		return true
	case m.isCode:
		if m.isCode = isBlank(line) || indent(line) >= 4; m.isCode {
			m.b.write(line + "\n")
			return true
		}
		m.b.end()
	case m.columns > 0:
		if !isBlank(line) && !startsBlock(line) {
			cells := tableCells(withoutLinks(line))
			m.b.row(append(cells, make([]string, max(m.columns-len(cells), 0))...)[:m.columns])
			return true
		}
		m.columns = 0
		m.b.end()
	}
	return false
}

// block takes a line that may begin something.
func (m *markdown) block(line string) {
	switch {
	case isBlank(line):
		m.flush()
		if m.b.open {
			m.b.write("\n")
		}
	case (m.inList || indent(line) < 4) && fenceStart.MatchString(line): // those of list items may be indented further
		m.flush()
		start := fenceStart.FindStringSubmatch(line)
		m.fence = start[1] + start[2]
		m.b.begin(agent.Section{Kind: agent.KindCode, Line: m.number})
		m.b.write(line + "\n")
	case atxHeading.MatchString(line):
		m.flush()
		parts := atxHeading.FindStringSubmatch(line)
		m.b.heading(len(parts[1]), withoutLinks(parts[2]))
		m.inList = false
	case m.isUnderline(line):
		level := 1
		if strings.Contains(line, "-") {
			level = 2
		}
		m.b.heading(level, strings.Join(m.paragraph, " "))
		m.paragraph, m.inList = nil, false
	case m.isTable(line):
		m.table()
	case rule.MatchString(line):
		m.flush()
		m.paragraph = []string{line}
		m.flushAt(m.number + 1)
	case indent(line) >= 4 && len(m.paragraph) == 0 && !m.inList:
		m.b.begin(agent.Section{Kind: agent.KindCode, Line: m.number})
		m.b.write(line + "\n")
		m.isCode = true
	default:
		m.inList = listItem.MatchString(line) || m.inList && (len(m.paragraph) > 0 || indent(line) >= 2)
		m.paragraph = append(m.paragraph, withoutLinks(line))
	}
}

// isUnderline reports whether a line makes a heading of the paragraph over it.
func (m *markdown) isUnderline(line string) bool {
	return len(m.paragraph) > 0 && underline.MatchString(line) &&
		!listItem.MatchString(m.paragraph[0]) && !strings.HasPrefix(strings.TrimLeft(m.paragraph[0], " "), ">") && !m.inList
}

// flush writes the paragraph that ends before this line.
func (m *markdown) flush() { m.flushAt(m.number) }

func (m *markdown) flushAt(next int) {
	if len(m.paragraph) == 0 {
		return
	}
	if !m.b.open {
		m.b.begin(agent.Section{Line: next - len(m.paragraph)})
	}
	m.b.write(strings.Join(m.paragraph, "\n") + "\n")
	m.paragraph = nil
}

// startsBlock reports whether a line ends a table.
func startsBlock(line string) bool {
	return atxHeading.MatchString(line) || fenceStart.MatchString(line) || strings.HasPrefix(strings.TrimLeft(line, " "), ">")
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// indent is how many columns a line is indented.
func indent(line string) int {
	columns := 0
	for _, r := range line {
		switch r {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}
