package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/sources"
)

// How much of a child's answer its parent reads at once, in bytes: no more than a sixteenth of
// the window, so that the results of several children fit, and at least the beginning.
const (
	mostOfAnswer  = 8 << 10
	leastOfAnswer = 1 << 10
	bytesPerToken = 4
	shareOfWindow = 16
)

// maxListed bounds the calls that a result lists.
const maxListed = 50

// outcomeOf is what the parent's model reads of a child that has ended. Only a child that has
// finished is said to have; an answer that says nothing is an error.
func (de *delegator) outcomeOf(child agent.Child) (agent.CallState, agent.ErrorType, string) {
	res := agent.DelegateResult{
		RunID: child.ID, Agent: child.Agent, Status: child.Status, StopReason: child.StopReason,
		TookMS: child.EndedAt.Sub(child.CreatedAt).Milliseconds(),
		Answer: child.Answer, Values: maps.Clone(child.State.Values), Untrusted: child.State.Untrusted,
		Missing: slices.Sorted(maps.Keys(missingOutputs(child.State))),
	}
	if flow := child.State.Workflow; flow != nil {
		res.Workflow = flow.Name
	}
	for name, value := range res.Values { // with its sources as in its answer
		res.Values[name] = sources.HandedValue(value, child.Citations)
	}
	res.Effects, res.Did = de.doneBy(child)
	said := strings.TrimSpace(child.Answer) != "" || len(child.State.Values) > 0
	res.Partial = child.Status != agent.StatusFinished || len(res.Missing) > 0
	if child.Status == agent.StatusFinished {
		res.Did = nil
	}
	state, kind := agent.CallSuccess, agent.ErrorType("")
	switch aborted := child.Status == agent.StatusAborted; {
	case aborted && child.AbortBy != agent.System:
		state, kind = agent.CallError, agent.ErrCancelled
		res.Why = "It was aborted by a person."
	case aborted && de.family.workflow != nil:
		state, kind = agent.CallError, agent.ErrCancelled
		res.Why = "It was stopped because it was not needed any more."
	case aborted:
		state, kind = agent.CallError, agent.ErrCancelled
		res.Why = "It was stopped because the time of the run that waits for it was up."
	case !said:
		state, kind = agent.CallError, agent.ErrExecution
		res.Why = "It ended without an answer."
		if child.Status == agent.StatusFinished {
			res.Status, res.Partial = agent.StatusFailed, true
		}
	case child.Status == agent.StatusFailed:
		state, kind = agent.CallError, agent.ErrExecution
		res.Why = "It failed before it was done."
	case child.Status == agent.StatusStopped:
		res.Why = "It was stopped (" + string(child.StopReason) + ") before it was done: take what it hands in as a part."
	}
	return state, kind, de.fitResult(res, child.Citations)
}

// doneBy lists the calls of a child and of those below it: those that have, or may have,
// changed something, and the others.
func (de *delegator) doneBy(child agent.Child) (effects, did []string) {
	effects = []string{}
	for _, c := range child.Calls {
		if isDelegation(c) || c.StartedAt.IsZero() {
			continue
		}
		spec, known := de.tools.Lookup(c.Name)
		what := c.Name + gistOf(c)
		switch {
		case known && spec.Effect == agent.EffectRead:
			if c.State != agent.CallSuccess {
				what += " (" + string(c.State) + ")"
			}
			if !slices.Contains(did, what) && len(did) < maxListed {
				did = append(did, what)
			}
		default:
			if c.State != agent.CallSuccess {
				what += " (" + string(c.State) + "; it may have happened)"
			}
			effects = append(effects, what)
		}
	}
	return effects, did
}

// fitEffects are the first calls that fit into some room, and how many more there are.
func fitEffects(calls []string, room int) []string {
	for n := min(len(calls), maxListed); ; n /= 2 {
		fit := calls[:n:n]
		if more := len(calls) - n; more > 0 {
			fit = append(fit, fmt.Sprintf("and %d more", more))
		}
		if n <= 1 || len(agent.MustJSON(fit)) <= room {
			return fit
		}
	}
}

// gistArgs are the arguments that say best what a call is about, the best first.
var gistArgs = []string{"path", "file", "command", "url", "query", "name", "title"}

// maxGist bounds how much of an argument is told, in bytes.
const maxGist = 200

func gistOf(c agent.ToolCall) string {
	var args map[string]any
	if json.Unmarshal([]byte(c.Args), &args) != nil {
		return ""
	}
	for _, name := range gistArgs {
		if text, ok := args[name].(string); ok && text != "" {
			return " " + agent.Clip(text, maxGist)
		}
	}
	return ""
}

// fitResult writes a result that fits its room: of a long answer the beginning, with how to
// read on. It has those sources that are named in what is left.
func (de *delegator) fitResult(res agent.DelegateResult, all []agent.Citation) string {
	room := de.answerRoom()
	res.Values, res.More = fitValues(res.Values, room/2)
	res.Effects = fitEffects(res.Effects, room/4)
	whole := res.Answer
	values := string(agent.MustJSON(res.Values))
	res.Sources = sources.HandedWith(values+whole, all, room/4)
	text := string(agent.MustJSON(res))
	for keep := room; len(text) > room && keep > 256 && len(whole) > 256; keep -= keep / 8 {
		res.Answer = agent.ClipBytes(whole, keep)
		if de.family.workflow == nil { // whose answer has all of it
			res.Sources = sources.HandedWith(values+res.Answer, all, room/4)
		}
		cut := res
		cut.More += fmt.Sprintf("The answer has %d characters, these are the first %d: read it by part with %s and this runId.",
			utf8.RuneCountInString(whole), utf8.RuneCountInString(res.Answer), agent.ReadResultTool)
		text = string(agent.MustJSON(cut))
	}
	return text
}

// fitValues leaves the longest values out until the others fit into some room, and says how to
// read those.
func fitValues(values map[string]json.RawMessage, room int) (fit map[string]json.RawMessage, more string) {
	size := 0
	for name, value := range values {
		size += len(name) + len(value)
	}
	if size <= room {
		return values, ""
	}
	longest := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(values[b]), len(values[a])), cmp.Compare(a, b))
	})
	fit = maps.Clone(values)
	var out []string
	for ; size > room; longest = longest[1:] {
		size -= len(longest[0]) + len(values[longest[0]])
		delete(fit, longest[0])
		out = append(out, longest[0])
	}
	return fit, fmt.Sprintf("Too long to be shown here: %s. Read each with %s, this runId, and its name as value. ", strings.Join(out, ", "), agent.ReadResultTool)
}

// answerRoom is how much of a child's answer is read at once.
func (de *delegator) answerRoom() int {
	room := mostOfAnswer
	if window := de.account.window(); window > 0 {
		room = min(room, int(window)*bytesPerToken/shareOfWindow)
	}
	if limit := de.loop.Settings.ResultLimit; limit > 0 {
		room = min(room, limit)
	}
	return max(room, leastOfAnswer)
}
