package page

import (
	"net/url"
	"slices"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/request"
	"fusebox/web/site"
)

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
	return orAny(tr.T("page.inbox.all_tools"), current, names...)
}

// filterProps is the form as it was sent.
func (s *Inbox) filterProps(tr *text.Printer, q url.Values, f agent.ApprovalFilter) page.InboxFilter {
	status := f.Status
	if status == "" {
		status = request.AllStatuses
	}
	return page.InboxFilter{
		Statuses: site.Choices(string(status), [][2]string{
			{string(agent.ApprovalPending), tr.T("page.inbox.waiting")}, {string(agent.ApprovalDecided), tr.T("page.inbox.decided")},
			{string(agent.ApprovalExpired), tr.T("page.inbox.expired")}, {string(agent.ApprovalCancelled), tr.T("page.inbox.cancelled")},
			{string(request.AllStatuses), tr.T("page.inbox.all")},
		}),
		Kinds: site.Choices(string(f.Kind), [][2]string{
			{"", tr.T("page.inbox.all_kinds")}, {string(agent.KindTool), tr.T("page.inbox.kind_tool")},
			{string(agent.KindLoop), tr.T("page.inbox.kind_loop")},
			{string(agent.KindBudget), tr.T("page.inbox.kind_budget")}, {string(agent.KindQuestion), tr.T("page.inbox.kind_question")},
			{string(agent.KindOutcome), tr.T("page.inbox.kind_outcome")},
		}),
		Risks: site.Choices(string(f.Risk), [][2]string{
			{"", tr.T("page.inbox.all_risks")}, {string(agent.RiskLow), tr.T("page.inbox.low")},
			{string(agent.RiskMedium), tr.T("page.inbox.medium")},
			{string(agent.RiskHigh), tr.T("page.inbox.high")}, {string(agent.RiskCritical), tr.T("page.inbox.critical")},
		}),
		Ages: site.Choices(q.Get("age"), [][2]string{
			{"", tr.T("page.inbox.any_age")}, {"1h", tr.T("page.inbox.over_hour")}, {"1d", tr.T("page.inbox.over_day")},
		}),
		Tools: s.toolChoices(tr, f.Tool), Search: f.Search, Unread: f.Unread,
		More:   f.Kind != "" || f.Risk != "" || f.Tool != "" || !f.OlderThan.IsZero(),
		Narrow: f != agent.ApprovalFilter{Status: agent.ApprovalPending},
	}
}
