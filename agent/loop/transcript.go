package loop

import (
	"slices"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// transcript is the active branch up to the run's newest message, with the
// compactions of its conversation, oldest first.
type transcript struct {
	branch      []agent.Message
	compactions []agent.Compaction
	view        view
	// sources numbers what tools have retrieved.
	sources sources.Ledger
}

// adopt takes over what the journal has committed.
func (t *transcript) adopt(e agent.Change) {
	t.branch = append(t.branch, e.Messages...)
	t.compactions = append(t.compactions, e.Compactions...)
}

// forModel is the projection, with untrusted text and what people typed on cards marked as such.
func (t *transcript) forModel() []agent.Message {
	t.sources.Read(t.branch)
	return t.worded(t.sources.ForModel(t.projection()))
}

// source sets what the text of a new message cites and links to. said are further texts
// of people.
func (t *transcript) source(m *agent.Message, said ...string) {
	t.sources.Read(t.branch)
	t.sources.Sourced(m)
	sources.SetHosts(m, t.branch, said...)
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

// lastAnswer is the newest text of the model.
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
		t.view = view{compactions: len(t.compactions), under: t.findInEffect()}
	}
	return t.view.under
}

func (t *transcript) findInEffect() *agent.Compaction {
	for i := len(t.compactions) - 1; i >= 0; i-- {
		c := &t.compactions[i]
		if t.indexOf(c.Leaf) >= 0 {
			return c
		}
	}
	return nil
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
