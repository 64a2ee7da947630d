package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"fusebox/agent"
)

// maxDraft bounds a text that the agent proposes, in bytes.
const maxDraft = 20_000

// asked are the arguments of the tools that ask a person.
type asked struct {
	Question   string   `json:"question"`
	Reason     string   `json:"reason"`
	Options    []string `json:"options"`
	Draft      string   `json:"draft"`
	Multiple   bool     `json:"multiple"`
	FreeText   *bool    `json:"free_text"`
	Confidence *float64 `json:"confidence"`
}

// askQuestion puts the agent's own question before the person it works for, or its
// wish that they take over.
func (q *requests) askQuestion(c agent.ToolCall) agent.Change {
	var asked asked
	err, wrong := json.Unmarshal(agent.RawArgs(c.Args), &asked), ""
	if strings.TrimSpace(asked.Draft) == "" {
		asked.Draft = "" // nothing to edit
	}
	switch {
	case err != nil:
		wrong = "The question cannot be read."
	case asked.Draft != "" && len(asked.Options) > 0:
		wrong = "Choose one: options to choose from, or a draft to edit. The person has not been asked."
	case len(asked.Draft) > maxDraft:
		wrong = fmt.Sprintf("The draft has %d bytes; at most %d are allowed. The person has not been asked.", len(asked.Draft), maxDraft)
	}
	if wrong != "" {
		return q.tools.finish(c, agent.CallRefused, agent.CallError, agent.ErrInvalidParams, wrong)
	}
	free := asked.FreeText == nil || *asked.FreeText || len(asked.Options) == 0
	says := cmp.Or(asked.Question, asked.Reason)
	a := q.prepare(agent.KindQuestion, agent.RiskLow, says, agent.QuestionEvidence{
		Question: says, Multiple: asked.Multiple, FreeText: free, Draft: asked.Draft, HandOver: c.Name == agent.HandOverTool, Confidence: asked.Confidence,
	})
	for i, label := range asked.Options {
		a.Options = append(a.Options, agent.Option{ID: strconv.Itoa(i + 1), Label: label})
	}
	bindApproval(&a, c)
	return changeState(c, agent.CallHeld, agent.CallAwaiting).Then(q.open("", a))
}

// aboutServer is the card of what a server asks while a call of its tool runs.
func (q *requests) aboutServer(c agent.ToolCall, asked agent.ServerQuestion) agent.Approval {
	a := q.prepare(agent.KindQuestion, agent.RiskLow, asked.Message, agent.QuestionEvidence{
		Question: asked.Message, Server: asked.Server, Schema: asked.Schema, Preset: asked.Preset,
	})
	bindApproval(&a, c)
	return a
}
