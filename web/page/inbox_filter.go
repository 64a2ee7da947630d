package page

import (
	"net/url"
	"slices"

	"fusebox/agent"
	"fusebox/views/page"
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
var inboxLists = map[string]choices{
	"status": {
		{Value: string(agent.ApprovalPending), Label: "Waiting"},
		{Value: string(agent.ApprovalDecided), Label: "Decided"},
		{Value: string(agent.ApprovalExpired), Label: "Expired"},
		{Value: string(agent.ApprovalCancelled), Label: "Cancelled"},
		{Value: string(request.AllStatuses), Label: "All"},
	},
	"kind": {
		{Value: "", Label: "All kinds"},
		{Value: string(agent.KindTool), Label: "Tool"},
		{Value: string(agent.KindLoop), Label: "Loop"},
		{Value: string(agent.KindBudget), Label: "Budget"},
		{Value: string(agent.KindQuestion), Label: "Question"},
		{Value: string(agent.KindOutcome), Label: "Outcome"},
	},
	"risk": {
		{Value: "", Label: "All risks"},
		{Value: string(agent.RiskLow), Label: "Low"},
		{Value: string(agent.RiskMedium), Label: "Medium"},
		{Value: string(agent.RiskHigh), Label: "High"},
		{Value: string(agent.RiskCritical), Label: "Critical"},
	},
	"age": {
		{Value: "", Label: "Any"},
		{Value: "1h", Label: "Over 1 hour"},
		{Value: "1d", Label: "Over 1 day"},
	},
}

// toolChoices are the tools there are, and the one that is asked for.
func (s *Inbox) toolChoices(current string) []page.Choice {
	names := []string{}
	for _, spec := range s.Tools.Specs() {
		names = append(names, spec.Name)
	}
	if current != "" && !slices.Contains(names, current) {
		names = append(names, current)
	}
	slices.Sort(names)
	list := choices{{Value: "", Label: "All tools"}}
	for _, name := range names {
		list = append(list, page.Choice{Value: name, Label: name})
	}
	return list.selected(current)
}

// filterProps is the form as it was sent.
func (s *Inbox) filterProps(q url.Values, f agent.ApprovalFilter) page.InboxFilter {
	status := f.Status
	if status == "" {
		status = request.AllStatuses
	}
	return page.InboxFilter{
		Statuses: inboxLists["status"].selected(string(status)), Kinds: inboxLists["kind"].selected(string(f.Kind)),
		Risks: inboxLists["risk"].selected(string(f.Risk)), Ages: inboxLists["age"].selected(q.Get("age")),
		Tools: s.toolChoices(f.Tool), Search: f.Search, Unread: f.Unread,
		More:   f.Kind != "" || f.Risk != "" || f.Tool != "" || !f.OlderThan.IsZero(),
		Narrow: f != agent.ApprovalFilter{Status: agent.ApprovalPending},
	}
}
