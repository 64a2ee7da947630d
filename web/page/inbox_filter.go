package page

import (
	"net/url"
	"slices"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
)

type choices []page.Choice

func (l choices) selected(value string) []page.Choice {
	out := make([]page.Choice, len(l))
	for i, c := range l {
		out[i] = page.Choice{Value: c.Value, Label: c.Label, Selected: c.Value == value}
	}
	return out
}

// inboxLists are the choices of the inbox's filter, by field.
func inboxLists(tr *text.Printer) map[string]choices {
	return map[string]choices{
		"status": {
			{Value: string(agent.ApprovalPending), Label: tr.T("page.inbox.waiting")},
			{Value: string(agent.ApprovalDecided), Label: tr.T("page.inbox.decided")},
			{Value: string(agent.ApprovalExpired), Label: tr.T("page.inbox.expired")},
			{Value: string(agent.ApprovalCancelled), Label: tr.T("page.inbox.cancelled")},
			{Value: string(request.AllStatuses), Label: tr.T("page.inbox.all")},
		},
		"kind": {
			{Value: "", Label: tr.T("page.inbox.all_kinds")},
			{Value: string(agent.KindTool), Label: tr.T("page.inbox.kind_tool")},
			{Value: string(agent.KindLoop), Label: tr.T("page.inbox.kind_loop")},
			{Value: string(agent.KindBudget), Label: tr.T("page.inbox.kind_budget")},
			{Value: string(agent.KindQuestion), Label: tr.T("page.inbox.kind_question")},
			{Value: string(agent.KindOutcome), Label: tr.T("page.inbox.kind_outcome")},
		},
		"risk": {
			{Value: "", Label: tr.T("page.inbox.all_risks")},
			{Value: string(agent.RiskLow), Label: tr.T("page.inbox.low")},
			{Value: string(agent.RiskMedium), Label: tr.T("page.inbox.medium")},
			{Value: string(agent.RiskHigh), Label: tr.T("page.inbox.high")},
			{Value: string(agent.RiskCritical), Label: tr.T("page.inbox.critical")},
		},
		"age": {
			{Value: "", Label: tr.T("page.inbox.any_age")},
			{Value: "1h", Label: tr.T("page.inbox.over_hour")},
			{Value: "1d", Label: tr.T("page.inbox.over_day")},
		},
	}
}

// toolChoices are the tools there are, and the one that is asked for.
func (s *Inbox) toolChoices(tr *text.Printer, current string) []page.Choice {
	names := []string{}
	for _, spec := range s.Tools.Specs() {
		names = append(names, spec.Name)
	}
	if current != "" && !slices.Contains(names, current) {
		names = append(names, current)
	}
	slices.Sort(names)
	list := choices{{Value: "", Label: tr.T("page.inbox.all_tools")}}
	for _, name := range names {
		list = append(list, page.Choice{Value: name, Label: name})
	}
	return list.selected(current)
}

// filterProps is the form as it was sent.
func (s *Inbox) filterProps(tr *text.Printer, q url.Values, f agent.ApprovalFilter) page.InboxFilter {
	status := f.Status
	if status == "" {
		status = request.AllStatuses
	}
	lists := inboxLists(tr)
	return page.InboxFilter{
		Statuses: lists["status"].selected(string(status)), Kinds: lists["kind"].selected(string(f.Kind)),
		Risks: lists["risk"].selected(string(f.Risk)), Ages: lists["age"].selected(q.Get("age")),
		Tools: s.toolChoices(tr, f.Tool), Search: f.Search, Unread: f.Unread,
		More:   f.Kind != "" || f.Risk != "" || f.Tool != "" || !f.OlderThan.IsZero(),
		Narrow: f != agent.ApprovalFilter{Status: agent.ApprovalPending},
	}
}
