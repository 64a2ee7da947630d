package agent

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
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

// answerOf is what the model reads of an answer to a question: the labels of
// what was chosen, and the text that was written. Invalid where it fits neither.
func answerOf(a Approval, dec Decision) (string, error) {
	var ev QuestionEvidence
	if err := decodeEvidence(a, &ev); err != nil {
		return "", err
	}
	chosen, text := dec.Choices, strings.TrimSpace(dec.Answer)
	if i := slices.IndexFunc(a.Options, func(o Option) bool { return o.ID == text || o.Label == text }); i >= 0 && len(chosen) == 0 {
		chosen, text = []string{a.Options[i].ID}, ""
	}
	switch {
	case len(chosen) > 1 && !ev.Multiple:
		return "", InvalidField("choices", "has %d options; this question takes one", len(chosen))
	case len(chosen) == 0 && text == "":
		return "", InvalidField("answer", "is empty; choose an option or write an answer")
	case text != "" && !ev.FreeText:
		return "", InvalidField("answer", "this question takes one of its options only: %s", optionIDs(a))
	}
	var parts []string
	for _, o := range a.Options {
		if slices.Contains(chosen, o.ID) {
			parts = append(parts, o.Label)
		}
	}
	if len(parts) != len(chosen) {
		return "", InvalidField("choices", "names an option that is not there, or one twice; allowed: %s", optionIDs(a))
	}
	if text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; "), nil
}

func optionIDs(a Approval) string {
	ids := make([]string, len(a.Options))
	for i, o := range a.Options {
		ids[i] = o.ID
	}
	return strings.Join(ids, ", ")
}
