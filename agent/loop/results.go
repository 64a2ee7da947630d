package loop

import (
	"strings"

	"fusebox/agent"
)

// answerCalls puts the results of the newest answer's calls into the history,
// one each, in the order the model asked.
func (x *execution) answerCalls() {
	r := x.with(agent.StatusRunning)
	e := x.results(r, x.calls.since(x.run.Steps))
	e = e.Then(x.guidance(r, e.Messages))
	e.Run = r
	x.stage(e)
}

// results are the tool messages of the newest answer, which r counts. calls are the run's
// calls as they will be.
func (x *execution) results(r *agent.Run, calls []agent.ToolCall) (e agent.Change) {
	asked := x.transcript.last()
	parent := asked.ID
	for _, c := range calls {
		if c.MessageID != asked.ID {
			continue
		}
		m := agent.Message{
			ID: x.newID(), ConversationID: x.conv.ID, ParentID: parent, Role: agent.FromTool,
			Content: resultText(c), ToolCallID: c.ID, Images: c.Images, RunID: x.run.ID, CreatedAt: x.now(),
		}
		parent = m.ID
		e.Messages = append(e.Messages, m)
		e.Events = append(e.Events, events(agent.MessageEvent{Message: m})...)
		r.State.ToolReturns++
	}
	return e
}

// resultText is what the model reads of a result. Nothing but an error passes for one.
func resultText(c agent.ToolCall) string {
	switch {
	case c.ErrorType != "":
		return agent.ErrorResult + string(c.ErrorType) + "): " + c.Result
	case strings.HasPrefix(c.Result, agent.ErrorResult):
		return "Result: " + c.Result
	}
	return c.Result
}
