package reading

import (
	"regexp"
	"strings"

	"fusebox/agent"
)

const (
	maxFrontMatter = 64 << 10 // bytes
	maxTags        = 100
)

var (
	property  = regexp.MustCompile(`^([A-Za-z][\w -]*?)\s*:(?:\s+(.*))?$`)
	delimiter = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
)

// frontMatter takes what a text says of itself between two lines of dashes in front, and
// leaves the rest.
func (m *markdown) frontMatter(text string) (rest string) {
	body, found := strings.CutPrefix(text, "---\n")
	if !found {
		return text
	}
	var lines []string
	for size := 0; ; {
		line, after, more := strings.Cut(body, "\n")
		if end := strings.TrimRight(line, " \t"); end == "---" || end == "..." {
			body = after
			break
		}
		if size += len(line) + 1; !more || size > maxFrontMatter {
			return text
		}
		lines, body = append(lines, line), after
	}
	if !m.properties(lines) {
		return text
	}
	m.b.begin(agent.Section{Kind: agent.KindProperty, Line: 2})
	m.b.write(strings.Join(lines, "\n"))
	m.b.end()
	m.number = len(lines) + 2
	return body
}

// properties takes title and tags. It is false where no line is a property.
func (m *markdown) properties(lines []string) bool {
	key, found := "", false
	r := &m.b.reading
	for _, line := range lines {
		if item, isItem := strings.CutPrefix(strings.TrimLeft(line, " "), "- "); isItem {
			if key == "tags" {
				r.Tags = withTags(r.Tags, item)
			}
			continue
		}
		parts := property.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		found, key = true, strings.ToLower(parts[1])
		switch key {
		case "title":
			r.Title = unquoted(parts[2])
		case "tags":
			r.Tags = withTags(r.Tags, strings.Split(strings.Trim(strings.TrimSpace(parts[2]), "[]"), ",")...)
		}
	}
	return found
}

func withTags(tags []string, more ...string) []string {
	for _, tag := range more {
		if tag = unquoted(tag); tag != "" && len(tags) < maxTags {
			tags = append(tags, tag)
		}
	}
	return tags
}

func unquoted(value string) string { return strings.Trim(strings.TrimSpace(value), `"'`) }

// isTable reports whether a line is the one under the head of a table.
func (m *markdown) isTable(line string) bool {
	if len(m.paragraph) == 0 || !delimiter.MatchString(line) || !strings.Contains(line+m.paragraph[len(m.paragraph)-1], "|") {
		return false
	}
	return len(tableCells(line)) == len(tableCells(m.paragraph[len(m.paragraph)-1]))
}

// table begins one whose head is the last line of the paragraph. The line under the head is
// left out of the text and counted for it, so that those of the rows are right.
func (m *markdown) table() {
	last := len(m.paragraph) - 1
	head := tableCells(m.paragraph[last])
	m.paragraph = m.paragraph[:last]
	m.flushAt(m.number - 1)
	m.columns = len(head)
	m.b.begin(agent.Section{Kind: agent.KindTable, Line: m.number, Head: tableLine(head)})
	m.b.row(head)
}

// tableCells are what stands between the bars of a line that no backslash is in front of.
func tableCells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var cells []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			i++
			cell.WriteByte('|')
		case line[i] == '|':
			cells = append(cells, cell.String())
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if !strings.HasSuffix(line, "|") || cell.Len() > 0 {
		cells = append(cells, cell.String())
	}
	return cells[:min(len(cells), maxColumns)]
}
