package loop

import (
	"cmp"
	"encoding/json"
	"strconv"

	"fusebox/agent"
)

// aboutServer is the card of what a server asks while a call of its tool runs.
func (q *requests) aboutServer(c agent.ToolCall, asked agent.ServerQuestion) agent.Approval {
	a := q.prepare(agent.KindQuestion, agent.RiskLow, asked.Message, agent.QuestionEvidence{
		Question: asked.Message, Server: asked.Server, Schema: asked.Schema, Preset: asked.Preset,
	})
	bindApproval(&a, c)
	return a
}

// askQuestion puts the agent's own question before the person it works for, or its
// wish that they take over.
func (q *requests) askQuestion(c agent.ToolCall) agent.Change {
	var asked struct {
		Question   string   `json:"question"`
		Reason     string   `json:"reason"`
		Options    []string `json:"options"`
		Multiple   bool     `json:"multiple"`
		FreeText   *bool    `json:"free_text"`
		Confidence *float64 `json:"confidence"`
	}
	if err := json.Unmarshal(agent.RawArgs(c.Args), &asked); err != nil {
		return q.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrInvalidParams, "The question cannot be read.")
	}
	free := asked.FreeText == nil || *asked.FreeText || len(asked.Options) == 0
	says := cmp.Or(asked.Question, asked.Reason)
	a := q.prepare(agent.KindQuestion, agent.RiskLow, says, agent.QuestionEvidence{
		Question: says, Multiple: asked.Multiple, FreeText: free, HandOver: c.Name == agent.HandOverTool, Confidence: asked.Confidence,
	})
	for i, label := range asked.Options {
		a.Options = append(a.Options, agent.Option{ID: strconv.Itoa(i + 1), Label: label})
	}
	bindApproval(&a, c)
	return changeState(c, agent.CallHeld, agent.CallAwaiting).Then(q.open("", a))
}
