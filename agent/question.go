package agent

import (
	"encoding/json"
	"strconv"
)

// askQuestion puts the agent's own question before the person it works for.
func (f *flight) askQuestion(c ToolCall, e *Entry) {
	var asked struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
		Multiple bool     `json:"multiple"`
		FreeText *bool    `json:"free_text"`
	}
	if err := json.Unmarshal(rawArgs(c.Args), &asked); err != nil {
		refuse(e, f.settle(c, CallRefused, CallError, ErrInvalidParams, "The question cannot be read."))
		return
	}
	free := asked.FreeText == nil || *asked.FreeText || len(asked.Options) == 0
	a := f.newApproval(KindQuestion, RiskLow, asked.Question, QuestionEvidence{
		Question: asked.Question, Multiple: asked.Multiple, FreeText: free,
	})
	for i, label := range asked.Options {
		a.Options = append(a.Options, Option{ID: strconv.Itoa(i + 1), Label: label})
	}
	bindApproval(&a, c)
	changeState(e, c, CallHeld, CallAwaiting)
	f.addApproval(e, a)
}
