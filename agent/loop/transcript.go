package loop

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// transcript is the active branch up to the run's newest message, with the
// compactions of its conversation, oldest first.
type transcript struct {
	branch      []agent.Message
	compactions []agent.Compaction
	view        view
	// sources numbers what tools have retrieved, and closed are the documents among it that the
	// model must not read any more.
	sources sources.Ledger
	closed  agent.ClosedDocuments
}

func (t *transcript) adopt(e agent.Change) {
	t.branch = append(t.branch, e.Messages...)
	t.compactions = append(t.compactions, e.Compactions...)
}

// marked returns messages of the branch with untrusted text and what people typed on cards marked as such.
func (t *transcript) marked(messages []agent.Message) []agent.Message {
	t.sources.Read(t.branch)
	return t.worded(t.sources.ForModel(messages, t.closed))
}

// untrusted reports whether the branch has text of the web or of documents.
func (t *transcript) untrusted() bool {
	t.sources.Read(t.branch)
	return t.sources.Untrusted()
}

// hasDocuments reports whether the branch has results that may be of documents.
func (t *transcript) hasDocuments() bool {
	t.sources.Read(t.branch)
	return t.sources.HasDocuments()
}

// last is the newest message of the branch; a run always has its person's message.
func (t *transcript) last() agent.Message { return t.branch[len(t.branch)-1] }

// awaitsResults reports whether the newest message asks for tools whose results
// are not in the history yet.
func (t *transcript) awaitsResults() bool {
	m := t.last()
	return m.Role == agent.FromAssistant && len(m.ToolCalls) > 0
}

// task is the person's message that the run answers.
func (t *transcript) task() string {
	if i := t.taskIndex(); i >= 0 {
		return t.branch[i].Content
	}
	return ""
}

// asked are the person's newest messages, at most n, the newest first.
func (t *transcript) asked(n int) []string {
	var texts []string
	for i := len(t.branch) - 1; i >= 0 && len(texts) < n; i-- {
		if t.branch[i].Asks() {
			texts = append(texts, t.branch[i].Content)
		}
	}
	return texts
}

// taskIndex is the index of the message that the run answers, -1 if it is missing.
func (t *transcript) taskIndex() int {
	for i := len(t.branch) - 1; i >= 0; i-- {
		if t.branch[i].Asks() {
			return i
		}
	}
	return -1
}

func (t *transcript) lastAnswer() string {
	for i := len(t.branch) - 1; i >= 0; i-- {
		if m := t.branch[i]; m.Role == agent.FromAssistant && m.Content != "" {
			return m.Content
		}
	}
	return ""
}

// inEffect is the newest compaction of this branch, nil for none.
func (t *transcript) inEffect() *agent.Compaction {
	if len(t.compactions) != t.view.compactions {
		t.view = view{compactions: len(t.compactions)}
		for i := len(t.compactions) - 1; i >= 0 && t.view.under == nil; i-- {
			if c := &t.compactions[i]; t.indexOf(c.Leaf) >= 0 {
				t.view.under = c
			}
		}
	}
	return t.view.under
}

func (t *transcript) indexOf(id string) int {
	return slices.IndexFunc(t.branch, func(m agent.Message) bool { return m.ID == id })
}

// position is the first message that a compaction does not cover.
func (t *transcript) position(c *agent.Compaction) int {
	if c == nil || c.UpTo == "" {
		return 0
	}
	return t.indexOf(c.UpTo) + 1
}

// keepFrom is the first message of those that are kept whole: as many of the
// newest as fit into room, never parting a call from its
// result, and at least the newest answer with its results.
func (t *transcript) keepFrom(room int64, counter agent.TokenCounter) int {
	from := len(t.branch)
	for i := len(t.branch) - 1; i >= 0; i-- {
		m := t.branch[i]
		if room -= counter.CountPrompt(agent.Request{Messages: []agent.Message{cutResult(m)}}); room < 0 && from < len(t.branch) {
			break
		}
		if m.Role != agent.FromTool {
			from = i
		}
	}
	return from
}

// hasLongResults reports whether there are results to cut, or with pictures, since a compaction.
func (t *transcript) hasLongResults(since *agent.Compaction) bool {
	from := 0
	if since != nil {
		from = t.indexOf(since.Leaf) + 1
	}
	return slices.ContainsFunc(t.branch[from:], func(m agent.Message) bool {
		return cutResult(m).Content != m.Content || len(m.Images) > 0
	})
}

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
		guidance := 0 // the texts from cards that are still to come
		for _, m := range t.branch[:from] {
			if m.Guides() {
				guidance++
			}
		}
		out = append(out, agent.Message{Role: agent.FromUser, Content: "[Summary of the earlier conversation]\n" + c.Summary})
		task := t.taskIndex()
		for i, m := range t.branch[:from] {
			if m.Guides() {
				guidance--
			}
			if m.Pinned || i == task || m.Guides() && guidance < maxGuidance {
				out = append(out, agent.Message{ID: m.ID, Role: agent.FromUser, Content: m.Content, SaidBy: m.SaidBy, Steered: m.Steered})
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
