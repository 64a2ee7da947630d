package loop

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"fusebox/agent"
)

// projection is the branch as the model gets to see it: a summary in the place
// of older messages, with the task and pinned messages word for word behind it.
func (f *execution) projection() []agent.Message {
	c := f.standing()
	if c == nil {
		return slices.Clone(f.branch)
	}
	from, leaf := f.position(c), f.indexOf(c.Leaf)
	var out []agent.Message
	if from > 0 {
		out = append(out, agent.Message{Role: agent.FromUser, Content: "[Summary of the earlier conversation]\n" + c.Summary})
		task := f.taskIndex()
		for i, m := range f.branch[:from] {
			if m.Pinned || i == task {
				out = append(out, agent.Message{ID: m.ID, Role: agent.FromUser, Content: m.Content})
			}
		}
	}
	for i, m := range f.branch[from:] {
		if from+i <= leaf {
			m = cutResult(m)
		}
		out = append(out, m)
	}
	return out
}

// headAndTail keeps n bytes at either end of a text, on characters' borders.
func headAndTail(text string, n int) string {
	if len(text) <= 2*n {
		return text
	}
	head, tail := n, len(text)-n
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d characters left out …]\n%s", text[:head], utf8.RuneCountInString(text[head:tail]), text[tail:])
}

// cutResult cuts a long result to head and tail.
func cutResult(m agent.Message) agent.Message {
	if m.Role == agent.FromTool {
		m.Content = headAndTail(m.Content, keepEnd)
	}
	return m
}
