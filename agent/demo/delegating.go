package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent/demo/wire"
)

const delegateTool = "delegate"

// delegate makes a call that hands a task to an agent, with what it needs and what it is to
// hand back, by name and type; nil for neither.
func delegate(agent, task string, inputs, outputs map[string]any) call {
	args := map[string]any{"agent": agent, "task": task}
	if inputs != nil {
		args["inputs"] = inputs
	}
	if outputs != nil {
		args["outputs"] = outputs
	}
	return invoke(delegateTool, args)
}

// delegating makes calls of delegate, if there are the agents that they name.
func delegating(t turn, calls ...call) answer {
	i := slices.IndexFunc(t.tools, func(w wire.Tool) bool { return w.Function.Name == delegateTool })
	if i < 0 {
		return without(t, delegateTool)
	}
	known := wordsOf(t.tools[i].Function.Description)
	for _, c := range calls {
		if name := argument(c, "agent"); !strings.Contains(known, wordsOf(name)) {
			return say(t.in(
				"I would give this to the agent “"+name+"”, but there is none of that name here.",
				"我本想把这件事交给智能体“"+name+"”，但这里没有叫这个名字的智能体。"))
		}
	}
	return use(calls...)
}

// report is what has come of a task that was handed over.
type report struct {
	agent                           string
	Status, StopReason, Why, Answer string
	Values                          map[string]any
	Effects                         []string
	Partial                         bool
}

// handedBack are the reports of all calls of delegate since the request, in their order.
func (t turn) handedBack() []report {
	var all []report
	for _, s := range t.steps {
		for i, c := range s.calls {
			if c.name == delegateTool {
				all = append(all, readReport(c, s.results[i]))
			}
		}
	}
	return all
}

// readReport reads a result of delegate: an object, which an error or a warning may stand
// before, or only the reason why there is none.
func readReport(c call, result string) report {
	r := report{agent: argument(c, "agent")}
	at := max(strings.Index(result, "{"), 0)
	if json.NewDecoder(strings.NewReader(result[at:])).Decode(&r) != nil || r.Status == "" {
		r.Status, r.Why = "", result
	}
	return r
}

func (r report) succeeded() bool { return r.Status == "finished" && !r.Partial }

// told is what the agent said, else why it said nothing.
func (r report) told() string {
	if r.Answer != "" {
		return quote(r.Answer)
	}
	return quote(r.Why)
}

// failure names the agent that did not finish, and quotes what it handed in.
func (r report) failure(t turn) string {
	why := r.StopReason
	if why == "" {
		why = t.in("failed", "失败")
	}
	return t.in(
		"The agent "+r.agent+" was stopped before its task was done ("+why+"): “"+r.told()+"”",
		"智能体 "+r.agent+" 没有完成任务就停下了（"+why+"）：“"+r.told()+"”")
}
