package present

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
)

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

// patternText says a pattern in one line.
func patternText(p agent.Pattern) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, invisible.Visible(name+" = "+p[name]))
	}
	return strings.Join(parts, ", ")
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

// allowedBy says which decision, rule, or equal call let a call pass without anybody being
// asked, and where it can be revoked; "" where it is none of them.
func (p *Presenter) allowedBy(by agent.Authority) (says, href string) {
	switch by.Kind {
	case agent.AuthorityScope:
		return p.allowedByApproval(by), "/approvals/" + by.ID
	case agent.AuthorityRule:
		if p.Viewer.Role == agent.RoleAdmin {
			href = "/admin/tools#rule-" + by.ID
		}
		return p.Text.T("present.reach.by_rule"), href
	case agent.AuthorityTwin:
		return p.Text.T("present.reach.by_twin"), ""
	default:
		return "", ""
	}
}

func (p *Presenter) allowedByApproval(by agent.Authority) string {
	who := ""
	if a := p.cards[by.ID]; a != nil {
		who = a.DecidedBy
	}
	switch {
	case by.Scope == agent.ScopeRun && who != "":
		return p.Text.T("present.reach.by_person_run", who)
	case by.Scope == agent.ScopeRun:
		return p.Text.T("present.reach.by_approval_run")
	case who != "":
		return p.Text.T("present.reach.by_person_conversation", who)
	default:
		return p.Text.T("present.reach.by_approval_conversation")
	}
}
