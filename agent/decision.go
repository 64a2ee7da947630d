package agent

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// verbsOf says which decisions each kind of approval takes.
var verbsOf = map[ApprovalKind][]Verb{
	KindTool:     {DecideApprove, DecideEdit, DecideReject, DecideAbort},
	KindLoop:     {DecideResume, DecideApprove, DecideReject, DecideTakeover, DecideAbort},
	KindBudget:   {DecideApprove, DecideResume, DecideReject, DecideTakeover, DecideAbort},
	KindQuestion: {DecideAnswer, DecideReject, DecideAbort},
	KindOutcome:  {DecideAnswer, DecideApprove, DecideReject, DecideAbort},
}

// Bounds of what a person may write into a decision.
const (
	maxComment   = 10_000
	maxAnswer    = MaxMessageBytes
	maxRaise     = 1_000_000_000
	maxEditBytes = 1 << 20
)

// MaxRaiseMicros is the most by which a budget is raised at once, in micro-USD.
const MaxRaiseMicros = maxRaise * 1000

// checkDecision holds a decision against its approval; each error names the field.
func checkDecision(a Approval, dec Decision) error {
	verbs := verbsOf[a.Kind]
	switch {
	case !slices.Contains(verbs, dec.Verb):
		return InvalidField("decision", "%q does not fit an approval of kind %s; allowed: %s", dec.Verb, a.Kind, joinVerbs(verbs))
	case dec.Verb == DecideEdit && len(dec.Args) == 0:
		return InvalidField("args", "is missing; an edit needs the arguments to run with")
	case len(dec.Args) > maxEditBytes:
		return InvalidField("args", "has %d bytes; at most %d are allowed", len(dec.Args), maxEditBytes)
	case len(dec.Comment) > maxComment:
		return InvalidField("comment", "has %d bytes; at most %d are allowed", len(dec.Comment), maxComment)
	case len(dec.Answer) > maxAnswer:
		return InvalidField("answer", "has %d bytes; at most %d are allowed", len(dec.Answer), maxAnswer)
	case dec.N < 0 || dec.N > MaxAllowMore:
		return InvalidField("n", "is %d; allowed: 1 to %d", dec.N, MaxAllowMore)
	case dec.RaiseTokensBy < 0 || dec.RaiseTokensBy > maxRaise:
		return InvalidField("raiseTokensBy", "is %d; allowed: 0 to %d", dec.RaiseTokensBy, maxRaise)
	case dec.RaiseMicrosBy < 0 || dec.RaiseMicrosBy > MaxRaiseMicros:
		return InvalidField("raiseMicrosBy", "is %d; allowed: 0 to %d", dec.RaiseMicrosBy, int64(MaxRaiseMicros))
	}
	if err := checkTexts(dec); err != nil {
		return err
	}
	if err := checkAnswer(a, dec); err != nil {
		return err
	}
	return checkScope(a, dec)
}

// checkTexts refuses bytes that are no text: what is kept would not be what was sent.
func checkTexts(dec Decision) error {
	for field, text := range map[string]string{"comment": dec.Comment, "answer": dec.Answer, "args": string(dec.Args)} {
		if !utf8.ValidString(text) {
			return InvalidField(field, "is not valid UTF-8 text")
		}
	}
	return nil
}

func checkAnswer(a Approval, dec Decision) error {
	chosen := a.Kind == KindQuestion && len(dec.Choices) > 0
	switch {
	case (dec.Verb == DecideTakeover || dec.Verb == DecideAnswer) && strings.TrimSpace(dec.Answer) == "" && !chosen:
		return InvalidField("answer", "is empty; write the text that is to stand")
	case (dec.Verb == DecideResume || dec.Verb == DecideApprove) && a.Kind == KindLoop && dec.Answer != "" && !offers(a, dec.Answer):
		return InvalidField("answer", "%q is not one of the options of this card", dec.Answer)
	}
	return nil
}

func offers(a Approval, id string) bool {
	return slices.ContainsFunc(a.Options, func(o Option) bool { return o.ID == id })
}

func checkScope(a Approval, dec Decision) error {
	switch {
	case !slices.Contains([]Scope{"", ScopeOnce, ScopeRun, ScopeConversation, ScopeAlways}, dec.Scope):
		return InvalidField("scope", "%q is not known; allowed: once, run, conversation, always", dec.Scope)
	case dec.Days < 0 || dec.Days > MaxRuleDays:
		return InvalidField("days", "is %d; allowed: 1 to %d", dec.Days, MaxRuleDays)
	case dec.Scope == ScopeAlways && (a.Kind != KindTool || dec.Verb != DecideApprove):
		return InvalidField("scope", "always is for approving a tool call as it is")
	case dec.Scope == ScopeRun && len(dec.Pattern) > 0: // which would cover more than it says
		return InvalidField("pattern", "is for the scopes conversation and always; the scope run covers all calls of the tool")
	case a.Risk == RiskCritical && dec.Scope != "" && dec.Scope != ScopeOnce:
		return InvalidField("scope", "a critical call can be approved once only")
	}
	return nil
}

func joinVerbs(verbs []Verb) string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}
