package service

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/schema"
)

// verbsOf says which decisions each kind of approval takes.
var verbsOf = map[agent.ApprovalKind][]agent.Verb{
	agent.KindTool:     {agent.DecideApprove, agent.DecideEdit, agent.DecideReject, agent.DecideTakeover, agent.DecideAbort},
	agent.KindLoop:     {agent.DecideResume, agent.DecideApprove, agent.DecideReject, agent.DecideTakeover, agent.DecideAbort},
	agent.KindBudget:   {agent.DecideApprove, agent.DecideResume, agent.DecideReject, agent.DecideTakeover, agent.DecideAbort},
	agent.KindQuestion: {agent.DecideAnswer, agent.DecideReject, agent.DecideTakeover, agent.DecideAbort},
	agent.KindOutcome:  {agent.DecideAnswer, agent.DecideApprove, agent.DecideReject, agent.DecideAbort},
}

// Bounds of what a person may write into a decision.
const (
	maxComment   = 10_000
	maxAnswer    = agent.MaxMessageBytes
	maxRaise     = 1_000_000_000
	maxEditBytes = 1 << 20
)

// MaxRaiseMicros is the most by which a budget is raised at once, in micro-USD.
const MaxRaiseMicros = maxRaise * 1000

// checkDecision validates a decision for its approval; each error names the field.
func checkDecision(a agent.Approval, dec agent.Decision) error {
	if verbs := verbsOf[a.Kind]; !slices.Contains(verbs, dec.Verb) {
		names := make([]string, len(verbs))
		for i, v := range verbs {
			names[i] = string(v)
		}
		return agent.InvalidField("decision", "%q is not possible for an approval of kind %s; allowed: %s", dec.Verb, a.Kind, strings.Join(names, ", "))
	}
	switch {
	case dec.Verb == agent.DecideEdit && len(dec.Args) == 0:
		return agent.InvalidField("args", "is missing; an edit needs the arguments to run with")
	case dec.Verb != agent.DecideEdit && len(dec.Args) > 0:
		return agent.InvalidField("args", "belongs to the decision edit; %s runs the arguments that were shown", dec.Verb)
	case len(dec.Args) > maxEditBytes:
		return agent.InvalidField("args", "has %d bytes; at most %d are allowed", len(dec.Args), maxEditBytes)
	case len(dec.Comment) > maxComment:
		return agent.InvalidField("comment", "has %d bytes; at most %d are allowed", len(dec.Comment), maxComment)
	case len(dec.Answer) > maxAnswer:
		return agent.InvalidField("answer", "has %d bytes; at most %d are allowed", len(dec.Answer), maxAnswer)
	case dec.N < 0 || dec.N > agent.MaxAllowMore:
		return agent.InvalidField("n", "is %d; allowed: 1 to %d", dec.N, agent.MaxAllowMore)
	case dec.RaiseTokensBy < 0 || dec.RaiseTokensBy > maxRaise:
		return agent.InvalidField("raiseTokensBy", "is %d; allowed: 0 to %d", dec.RaiseTokensBy, maxRaise)
	case dec.RaiseMicrosBy < 0 || dec.RaiseMicrosBy > MaxRaiseMicros:
		return agent.InvalidField("raiseMicrosBy", "is %d; allowed: 0 to %d", dec.RaiseMicrosBy, int64(MaxRaiseMicros))
	}
	for field, text := range map[string]string{"comment": dec.Comment, "answer": dec.Answer, "args": string(dec.Args)} {
		if !utf8.ValidString(text) { // what is stored would not be what was sent
			return agent.InvalidField(field, "is not valid UTF-8 text")
		}
	}
	chosen := a.Kind == agent.KindQuestion && len(dec.Choices) > 0
	offered := func(o agent.Option) bool { return o.ID == dec.Answer }
	switch {
	case (dec.Verb == agent.DecideTakeover || dec.Verb == agent.DecideAnswer) && strings.TrimSpace(dec.Answer) == "" && !chosen:
		return agent.InvalidField("answer", "is empty; write the answer")
	case (dec.Verb == agent.DecideResume || dec.Verb == agent.DecideApprove) && a.Kind == agent.KindLoop && dec.Answer != "" &&
		!slices.ContainsFunc(a.Options, offered):
		return agent.InvalidField("answer", "%q is not one of the options of this approval", dec.Answer)
	}
	return checkScope(a, dec)
}

func checkScope(a agent.Approval, dec agent.Decision) error {
	switch {
	case !slices.Contains([]agent.Scope{"", agent.ScopeOnce, agent.ScopeRun, agent.ScopeConversation, agent.ScopeAlways}, dec.Scope):
		return agent.InvalidField("scope", "%q is not known; allowed: once, run, conversation, always", dec.Scope)
	case dec.Days < 0 || dec.Days > agent.MaxRuleDays:
		return agent.InvalidField("days", "is %d; allowed: 1 to %d", dec.Days, agent.MaxRuleDays)
	case dec.Scope == agent.ScopeAlways && (a.Kind != agent.KindTool || dec.Verb != agent.DecideApprove):
		return agent.InvalidField("scope", "always is only for approving a tool call unchanged")
	case !slices.Contains([]agent.RuleFor{"", agent.ForPerson, agent.ForEverybody}, dec.For):
		return agent.InvalidField("for", "%q is not known; allowed: person, everybody", dec.For)
	case dec.For != "" && dec.Scope != agent.ScopeAlways:
		return agent.InvalidField("for", "is for the scope always only; other scopes end with their run or conversation")
	case dec.Scope == agent.ScopeRun && len(dec.Pattern) > 0: // which would cover more than it says
		return agent.InvalidField("pattern", "is for the scopes conversation and always; the scope run covers all calls of the tool")
	case a.Risk == agent.RiskCritical && dec.Scope != "" && dec.Scope != agent.ScopeOnce:
		return agent.InvalidField("scope", "a critical call can only be approved with the scope once")
	}
	return nil
}

// answerOf is what the model reads of an answer to a question: the labels of
// what was chosen, and the text that was written. Invalid where it fits neither.
func answerOf(a agent.Approval, dec agent.Decision) (string, error) {
	ev, err := a.QuestionEvidence()
	if err != nil {
		return "", err
	}
	chosen, text := dec.Choices, strings.TrimSpace(dec.Answer)
	if ev.Draft != "" {
		text = dec.Answer // as it is, line breaks at its end included
	}
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

// serverAnswer is what a server reads of an answer to its question: an object that fits its
// schema. Where that asks for one text, the text is enough.
func serverAnswer(ev agent.QuestionEvidence, text string) (string, error) {
	name, wants := soleField(ev.Schema)
	if wants == "nothing" {
		return "{}", nil
	}
	if !strings.HasPrefix(text, "{") {
		if wants != "string" {
			return "", agent.InvalidField("answer", "has to be a JSON object with the fields that %s asks for", ev.Server)
		}
		text = string(agent.MustJSON(map[string]string{name: text}))
	}
	s, err := schema.Compile("question", ev.Schema)
	if err != nil {
		return "", err
	}
	fits, err := s.Check(text)
	var e *agent.Error
	if !errors.As(err, &e) {
		return string(fits), err
	}
	unfit := agent.Errorf(agent.Invalid, "The answer does not fit what %s asks for.", ev.Server)
	for _, f := range e.Fields {
		unfit.Fields = append(unfit.Fields, agent.FieldError{Field: "args." + f.Field, Detail: f.Detail})
	}
	return "", unfit
}

// soleField is the one field that a schema has, and its type; "nothing" where it has none.
func soleField(raw json.RawMessage) (name, wants string) {
	var form struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &form) != nil {
		return "", ""
	}
	if len(form.Properties) == 0 {
		return "", "nothing"
	}
	for name, field := range form.Properties {
		if len(form.Properties) == 1 {
			return name, field.Type
		}
	}
	return "", ""
}
