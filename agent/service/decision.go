package service

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fusebox/agent"
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
	verbs := verbsOf[a.Kind]
	switch {
	case !slices.Contains(verbs, dec.Verb):
		return agent.InvalidField("decision", "%q is not possible for an approval of kind %s; allowed: %s", dec.Verb, a.Kind, joinVerbs(verbs))
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
	if err := checkTexts(dec); err != nil {
		return err
	}
	if err := checkAnswer(a, dec); err != nil {
		return err
	}
	return checkScope(a, dec)
}

// checkTexts refuses invalid UTF-8: what is stored would not be what was sent.
func checkTexts(dec agent.Decision) error {
	for field, text := range map[string]string{"comment": dec.Comment, "answer": dec.Answer, "args": string(dec.Args)} {
		if !utf8.ValidString(text) {
			return agent.InvalidField(field, "is not valid UTF-8 text")
		}
	}
	return nil
}

func checkAnswer(a agent.Approval, dec agent.Decision) error {
	chosen := a.Kind == agent.KindQuestion && len(dec.Choices) > 0
	switch {
	case (dec.Verb == agent.DecideTakeover || dec.Verb == agent.DecideAnswer) && strings.TrimSpace(dec.Answer) == "" && !chosen:
		return agent.InvalidField("answer", "is empty; write the answer")
	case (dec.Verb == agent.DecideResume || dec.Verb == agent.DecideApprove) && a.Kind == agent.KindLoop && dec.Answer != "" && !offers(a, dec.Answer):
		return agent.InvalidField("answer", "%q is not one of the options of this approval", dec.Answer)
	}
	return nil
}

func offers(a agent.Approval, id string) bool {
	return slices.ContainsFunc(a.Options, func(o agent.Option) bool { return o.ID == id })
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

func joinVerbs(verbs []agent.Verb) string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}
