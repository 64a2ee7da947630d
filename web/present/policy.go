package present

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
)

// PolicyWords says what a rule fits and what it does beside deciding.
func PolicyWords(r agent.PolicyRule) []string {
	var says []string
	if r.Effect != "" {
		says = append(says, "Where the effect is "+string(r.Effect)+".")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Args)) {
		says = append(says, "Where "+name+" is like “"+r.Args[name]+"”.")
	}
	if r.ArgsHash != "" {
		says = append(says, "Exactly the arguments "+r.ArgsHash+".")
	}
	if r.Risk != "" {
		says = append(says, "Where the risk is "+string(r.Risk)+".")
	}
	if r.Mode != "" {
		says = append(says, "In mode "+string(r.Mode)+".")
	}
	if role, named := strings.CutPrefix(r.Who, "role:"); named {
		says = append(says, "For everybody with the role "+role+".")
	} else if r.Who != "" {
		says = append(says, "For "+r.Who+".")
	}
	if r.SetRisk != "" {
		says = append(says, "Raises the risk to "+string(r.SetRisk)+".")
	}
	if r.Priority != 0 {
		says = append(says, "Priority "+strconv.Itoa(r.Priority)+".")
	}
	return says
}

// PatternLines are the fields of a pattern, each as field = glob.
func PatternLines(p agent.Pattern) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		lines = append(lines, name+" = "+p[name])
	}
	return lines
}

// RuleHref leads to the rule that decided, "" for one that is built in.
func RuleHref(by agent.Authority) string {
	switch by.Kind {
	case agent.AuthorityRule:
		return "#rule-" + by.ID
	case agent.AuthorityConfig:
		return "#rule-" + by.String()
	default:
		return ""
	}
}

// ActionVerdict is what becomes of a call, in a word.
func ActionVerdict(a agent.Action) page.Verdict {
	return map[agent.Action]page.Verdict{
		agent.ActionAllow: {Word: "runs", Tone: "good"}, agent.ActionAsk: {Word: "asks", Tone: "warm"},
		agent.ActionDeny: {Word: "is denied", Tone: "tripped"},
	}[a]
}

// RuleVerdict is what a rule does, in a word.
func RuleVerdict(a agent.Action) page.Verdict {
	v := ActionVerdict(a)
	v.Word = string(a)
	return v
}
