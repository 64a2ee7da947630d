package loop

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"fusebox/agent"
)

// view is what was made of the branch under the compaction in effect. Messages
// are only added to a branch, so that it stays true until the next compaction.
type view struct {
	compactions int // so many were known when it was made
	under       *agent.Compaction
	messages    []agent.Message
	upTo        int // so many messages of the branch are in it; 0 for none
}

// projection is the branch as the model gets to see it: a summary in the place
// of older messages, with the task, pinned messages, and what people typed on cards word
// for word behind it.
// It belongs to the transcript: only what is behind its end may be written.
func (t *transcript) projection() []agent.Message {
	c := t.inEffect()
	if c == nil {
		return slices.Clip(t.branch)
	}
	if t.view.upTo == 0 {
		t.view.messages, t.view.upTo = t.project(c), len(t.branch)
	}
	t.view.messages = append(t.view.messages, t.branch[t.view.upTo:]...)
	t.view.upTo = len(t.branch)
	return slices.Clip(t.view.messages)
}

func (t *transcript) project(c *agent.Compaction) []agent.Message {
	from, leaf := t.position(c), t.indexOf(c.Leaf)
	var out []agent.Message
	if from > 0 {
		guidance := t.guidanceBefore(from)
		out = append(out, agent.Message{Role: agent.FromUser, Content: "[Summary of the earlier conversation]\n" + c.Summary})
		task := t.taskIndex()
		for i, m := range t.branch[:from] {
			if m.Guides() {
				guidance--
			}
			if m.Pinned || i == task || m.Guides() && guidance < maxGuidance {
				out = append(out, agent.Message{ID: m.ID, Role: agent.FromUser, Content: m.Content, SaidBy: m.SaidBy})
			}
		}
	}
	for i, m := range t.branch[from:] {
		if from+i <= leaf {
			m = cutResult(m)
		}
		out = append(out, m)
	}
	return out
}

// maxGuidance is how many texts from cards stay word for word when the context is
// compacted, the newest; older ones are in the summary.
const maxGuidance = 20

// guidanceBefore counts the texts from cards before a position.
func (t *transcript) guidanceBefore(to int) (n int) {
	for _, m := range t.branch[:to] {
		if m.Guides() {
			n++
		}
	}
	return n
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

// cutResult cuts a long result to head and tail, and leaves its pictures out.
func cutResult(m agent.Message) agent.Message {
	if m.Role == agent.FromTool {
		m.Content, m.Images = headAndTail(m.Content, keepEnd), nil
	}
	return m
}

// cutResults are the results of the messages that are kept of which the model
// sees head and tail only.
func (t *transcript) cutResults(from int) []agent.CutResult {
	var cut []agent.CutResult
	for _, m := range t.branch[from:] {
		if m.Role == agent.FromTool && cutResult(m).Content != m.Content {
			cut = append(cut, agent.CutResult{
				RunID: m.RunID, ToolCallID: m.ToolCallID, ToolName: t.nameOf(m.ToolCallID), Characters: utf8.RuneCountInString(m.Content),
			})
		}
	}
	return cut
}

// nameOf is the tool of a call of this branch.
func (t *transcript) nameOf(callID string) string {
	for _, m := range t.branch {
		for _, c := range m.ToolCalls {
			if c.ID == callID {
				return c.Name
			}
		}
	}
	return "a tool"
}
