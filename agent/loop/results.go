package loop

import "fusebox/agent"

// answerCalls puts the results of the newest answer's calls into the history,
// one each, in the order the model asked.
func (x *execution) answerCalls() {
	e := agent.Change{Run: x.with(agent.StatusRunning)}
	x.addResults(&e, x.calls.since(x.run.Steps))
	x.stage(e)
}

// addResults appends the tool messages of the newest answer to e. calls are
// the run's calls as they will be once e is committed.
func (x *execution) addResults(e *agent.Change, calls []agent.ToolCall) {
	asked := x.transcript.last()
	parent := asked.ID
	for _, c := range calls {
		if c.MessageID != asked.ID {
			continue
		}
		m := agent.Message{
			ID: x.newID(), ConversationID: x.conv.ID, ParentID: parent, Role: agent.FromTool,
			Content: resultText(c), ToolCallID: c.ID, RunID: x.run.ID, CreatedAt: x.now(),
		}
		parent = m.ID
		e.Messages = append(e.Messages, m)
		e.Events = append(e.Events, events(agent.MessageEvent{Message: m})...)
		e.Run.State.ToolReturns++
	}
}

// resultText is what the model reads of a result.
func resultText(c agent.ToolCall) string {
	if c.ErrorType == "" {
		return c.Result
	}
	return "Error (" + string(c.ErrorType) + "): " + c.Result
}
