package history

import (
	"strings"

	"fusebox/agent"
)

// What stands in the place of an empty text, of a missing text beside calls, and of a
// missing answer.
const (
	nothing    = "(empty)"
	callsAlone = "Calling tools."
	between    = `,{"role":"assistant","content":"Noted."}`
)

// joinsAt reports whether the message at a position is sent as one with the one before
// it: many templates refuse two of one side in a row. A message with calls stays apart
// from what follows it, and one that a person wrote from what stands before it.
func joinsAt(messages []agent.Message, at int) bool {
	if !sameSide(messages, at) {
		return false
	}
	return messages[at].Role == agent.FromAssistant || !written(&messages[at])
}

// sameSide reports whether a message and the one before it are texts of one side.
func sameSide(messages []agent.Message, at int) bool {
	if at < 1 || at >= len(messages) {
		return false
	}
	before, m := &messages[at-1], &messages[at]
	return m.Role == before.Role && m.Role != agent.FromTool && len(before.ToolCalls) == 0
}

// lacksAnswer reports whether an answer is missing before the message at a position: the
// run of the one before has failed, or the template wants one behind a result.
func (s Style) lacksAnswer(messages []agent.Message, at int) bool {
	if at < 1 || messages[at].Role != agent.FromUser {
		return false
	}
	return sameSide(messages, at) || s.Alternate && messages[at-1].Role == agent.FromTool
}

// written reports whether a person wrote a message for a run to answer. Reminders are of
// one request, and what was typed on a card belongs to what stands before it.
func written(m *agent.Message) bool { return m.ID != "" && m.SaidBy == "" }

// joined is two messages of one side as one.
func joined(a, b agent.Message) agent.Message {
	b.Content = joinTexts(a.Content, b.Content)
	if b.Data == nil {
		b.Data = a.Data
	}
	if len(a.Images) > 0 {
		b.RunID, b.Images = a.RunID, a.Images
	}
	return b
}

// joinTexts is two texts with a blank line between them, if there are two.
func joinTexts(a, b string) string {
	switch {
	case strings.TrimSpace(a) == "":
		return b
	case strings.TrimSpace(b) == "":
		return a
	default:
		return a + "\n\n" + b
	}
}
