package loop

import (
	"slices"

	"fusebox/agent"
)

// sharesDue reports whether the twin of a call has ended.
func (cs *calls) sharesDue() bool { return slices.ContainsFunc(cs.open(), cs.shareDue) }

func (cs *calls) shareDue(c agent.ToolCall) bool {
	return c.State == agent.CallScheduled && c.Authority.Kind == agent.AuthorityTwin && cs.of(c.Authority.ID).State.Ended()
}

// share gives calls the results of their twins. The model is told where it may have meant
// that something happens more than once.
func (x *execution) share() {
	var e agent.Change
	for _, c := range x.calls.open() {
		if !x.calls.shareDue(c) {
			continue
		}
		twin := x.calls.of(c.Authority.ID)
		c.Source, c.Images = twin.Source, twin.Images
		result := twin.Result
		if twin.Attempt > 0 && !x.tools.readOnly(c) {
			result = agent.SharedResult + agent.OwnResult(result)
		}
		e = e.Then(x.tools.finish(c, agent.CallShared, twin.State, twin.ErrorType, result))
	}
	x.stage(e)
}
