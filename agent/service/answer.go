package service

import (
	"slices"
	"strings"

	"fusebox/agent"
)

// answerOf is what the model reads of an answer to a question: the labels of
// what was chosen, and the text that was written. Invalid where it fits neither.
func answerOf(a agent.Approval, dec agent.Decision) (string, error) {
	ev, err := a.QuestionEvidence()
	if err != nil {
		return "", err
	}
	chosen, text := dec.Choices, strings.TrimSpace(dec.Answer)
	if ev.Server != "" {
		return serverAnswer(ev, text)
	}
	if i := slices.IndexFunc(a.Options, func(o agent.Option) bool { return o.ID == text || o.Label == text }); i >= 0 && len(chosen) == 0 {
		chosen, text = []string{a.Options[i].ID}, ""
	}
	switch {
	case len(chosen) > 1 && !ev.Multiple:
		return "", agent.InvalidField("choices", "has %d options; this question takes one", len(chosen))
	case len(chosen) == 0 && text == "":
		return "", agent.InvalidField("answer", "is empty; choose an option or type an answer")
	case text != "" && !ev.FreeText:
		return "", agent.InvalidField("answer", "this question takes one of its options only: %s", optionIDs(a))
	}
	var parts []string
	for _, o := range a.Options {
		if slices.Contains(chosen, o.ID) {
			parts = append(parts, o.Label)
		}
	}
	if len(parts) != len(chosen) {
		return "", agent.InvalidField("choices", "names an unknown option, or one option twice; allowed: %s", optionIDs(a))
	}
	if text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; "), nil
}

func optionIDs(a agent.Approval) string {
	ids := make([]string, len(a.Options))
	for i, o := range a.Options {
		ids[i] = o.ID
	}
	return strings.Join(ids, ", ")
}
