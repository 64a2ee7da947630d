package loop

import (
	"encoding/json"
	"strconv"

	"fusebox/agent"
)

// askQuestion puts the agent's own question before the person it works for.
func (q *requests) askQuestion(c agent.ToolCall, e *agent.Change) {
	var asked struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
		Multiple bool     `json:"multiple"`
		FreeText *bool    `json:"free_text"`
	}
	if err := json.Unmarshal(agent.RawArgs(c.Args), &asked); err != nil {
		addFinished(e, q.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrInvalidParams, "The question cannot be read."))
		return
	}
	free := asked.FreeText == nil || *asked.FreeText || len(asked.Options) == 0
	a := q.prepare(agent.KindQuestion, agent.RiskLow, asked.Question, agent.QuestionEvidence{
		Question: asked.Question, Multiple: asked.Multiple, FreeText: free,
	})
	for i, label := range asked.Options {
		a.Options = append(a.Options, agent.Option{ID: strconv.Itoa(i + 1), Label: label})
	}
	bindApproval(&a, c)
	changeState(e, c, agent.CallHeld, agent.CallAwaiting)
	q.add(e, a)
}
