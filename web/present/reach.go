package present

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/present/invisible"
)

// reachOf is how far an approval may reach. A standing rule is offered on the
// card's own page, which shows what it would have covered.
func reachOf(a agent.Approval) part.Reach {
	r := part.Reach{Days: agent.DefaultRuleDays}
	if len(a.Pattern) == 0 {
		return r
	}
	if raw, err := json.Marshal(a.Pattern); err == nil {
		r.Pattern, r.PatternField = patternText(a.Pattern), string(raw)
	}
	return r
}

// patternText says a pattern in one line.
func patternText(p agent.Pattern) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, invisible.Visible(name+" = "+p[name]))
	}
	return strings.Join(parts, ", ")
}

// coversText says what a decision lets pass beyond its call, "" for nothing.
func coversText(a agent.Approval) string {
	what := "exactly this call"
	if len(a.Covers) > 0 {
		what = "calls like " + patternText(a.Covers)
	}
	approved := a.Decision == agent.DecideApprove || a.Decision == agent.DecideEdit
	if a.Kind != agent.KindTool || !approved {
		return ""
	}
	switch a.Scope {
	case agent.ScopeRun:
		return "It covers all calls of " + a.ToolName + " until the run ends."
	case agent.ScopeConversation:
		return "It covers " + what + " in this conversation."
	case agent.ScopeAlways:
		return "It made a standing rule for " + what + "."
	default:
		return ""
	}
}

// allowedBy says which decision or rule let a call pass without anybody being
// asked, and where it can be revoked; "" where it is neither.
func (p *Presenter) allowedBy(by agent.Authority) (text, href string) {
	switch by.Kind {
	case agent.AuthorityScope:
		who := "an earlier approval"
		if a := p.cards[by.ID]; a != nil && a.DecidedBy != "" {
			who = a.DecidedBy + "’s approval"
		}
		return "Allowed by " + who + " for this " + string(by.Scope), "/approvals/" + by.ID
	case agent.AuthorityRule:
		if p.Viewer.Role == agent.RoleAdmin {
			href = "/admin/tools#rule-" + by.ID
		}
		return "Allowed by a standing rule", href
	default:
		return "", ""
	}
}
