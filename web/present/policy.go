package present

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
)

// PolicyWords says what a rule matches, and what it does besides deciding.
func PolicyWords(tr *text.Printer, r agent.PolicyRule) []string {
	var says []string
	if r.Effect != "" {
		says = append(says, tr.T("present.policy.effect", EffectLabel(tr, r.Effect)))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Args)) {
		says = append(says, tr.T("present.policy.arg", name, r.Args[name]))
	}
	if r.ArgsHash != "" {
		says = append(says, tr.T("present.policy.hash", r.ArgsHash))
	}
	if r.Risk != "" {
		says = append(says, tr.T("present.policy.risk", part.RiskWord(tr, string(r.Risk))))
	}
	if r.Mode != "" {
		says = append(says, tr.T("present.policy.mode", ModeLabel(tr, r.Mode)))
	}
	if role, named := strings.CutPrefix(r.Who, "role:"); named {
		says = append(says, tr.T("present.policy.role", part.RoleWord(tr, role)))
	} else if r.Who != "" {
		says = append(says, tr.T("present.policy.who", r.Who))
	} else if r.ApprovalID != "" {
		says = append(says, tr.T("present.policy.everybody"))
	}
	if r.FilesDecide {
		says = append(says, tr.T("present.policy.files", fileNames(r.Files)))
	}
	if r.SetRisk != "" {
		says = append(says, tr.T("present.policy.set_risk", part.RiskWord(tr, string(r.SetRisk))))
	}
	if r.Priority != 0 {
		says = append(says, tr.T("present.policy.priority", r.Priority))
	}
	return says
}

func fileNames(files []agent.SeenFile) string {
	var names []string
	for _, f := range files[:min(len(files), maxFileNames)] {
		names = append(names, invisible.Visible(f.Path))
	}
	if len(files) > len(names) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
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
func ActionVerdict(tr *text.Printer, a agent.Action) page.Verdict {
	v := page.Verdict{Tone: actionTones[a]}
	switch a {
	case agent.ActionAllow:
		v.Word = tr.T("present.action.allow")
	case agent.ActionAsk:
		v.Word = tr.T("present.action.ask")
	case agent.ActionDeny:
		v.Word = tr.T("present.action.deny")
	}
	return v
}

// RuleVerdict is what a rule does, as its configuration has it.
func RuleVerdict(a agent.Action) page.Verdict {
	return page.Verdict{Word: string(a), Tone: actionTones[a]}
}

var actionTones = map[agent.Action]string{agent.ActionAllow: "good", agent.ActionAsk: "warm", agent.ActionDeny: "tripped"}

// reachOf is how far an approval may reach. A standing rule is offered on the
// card's own page, which shows what it would have covered.
func reachOf(a agent.Approval) part.Reach {
	r := part.Reach{Days: agent.DefaultRuleDays, Person: a.OwnerEmail}
	if len(a.Pattern) == 0 {
		return r
	}
	if raw, err := json.Marshal(a.Pattern); err == nil {
		r.Pattern, r.PatternField = patternText(a.Pattern), string(raw)
	}
	return r
}

func patternText(p agent.Pattern) string {
	lines := PatternLines(p)
	for i := range lines {
		lines[i] = invisible.Visible(lines[i])
	}
	return strings.Join(lines, ", ")
}

// coversText says what a decision lets pass beyond its call, "" for nothing.
func coversText(tr *text.Printer, a agent.Approval) string {
	approved := a.Decision == agent.DecideApprove || a.Decision == agent.DecideEdit
	if a.Kind != agent.KindTool || !approved {
		return ""
	}
	alike := len(a.Covers) > 0
	switch {
	case a.Scope == agent.ScopeRun:
		return tr.T("present.reach.run", a.ToolName)
	case a.Scope == agent.ScopeConversation && alike:
		return tr.T("present.reach.conversation_like", patternText(a.Covers))
	case a.Scope == agent.ScopeConversation:
		return tr.T("present.reach.conversation")
	case a.Scope == agent.ScopeAlways && alike:
		return tr.T("present.reach.always_like", patternText(a.Covers))
	case a.Scope == agent.ScopeAlways:
		return tr.T("present.reach.always")
	default:
		return ""
	}
}
