package request

import (
	"fusebox/agent"
	"net/url"
	"strings"
	"time"
)

// AllStatuses is the choice of the form that filters nothing.
const AllStatuses agent.ApprovalStatus = "all"

// ages are the choices of how long something has waited, by their name.
var ages = map[string]time.Duration{"1h": time.Hour, "1d": 24 * time.Hour}

// InboxFilter reads the filter of the page. No status is what waits, "all" is
// everything; an empty field filters nothing, as a form sends them all.
func InboxFilter(q url.Values, now time.Time) (agent.ApprovalFilter, error) {
	status := agent.ApprovalStatus(q.Get("status"))
	switch status {
	case "":
		q = withStatus(q, agent.ApprovalPending)
	case AllStatuses:
		q = withStatus(q, "")
	}
	return ApprovalFilter(q, now)
}

func withStatus(q url.Values, status agent.ApprovalStatus) url.Values {
	out := url.Values{}
	for k, v := range q {
		out[k] = v
	}
	out.Set("status", string(status))
	return out
}

// ApprovalFilter reads ?status=, ?kind=, ?risk=, ?runId=, ?tool=, ?search=, ?age= and ?unread=.
func ApprovalFilter(q url.Values, now time.Time) (agent.ApprovalFilter, error) {
	f := agent.ApprovalFilter{
		Status: agent.ApprovalStatus(q.Get("status")), Kind: agent.ApprovalKind(q.Get("kind")), Risk: agent.Risk(q.Get("risk")),
		RunID: q.Get("runId"), Tool: q.Get("tool"), Search: strings.TrimSpace(q.Get("search")), Unread: q.Get("unread") == "true",
	}
	if err := OneOf("status", f.Status, agent.ApprovalPending, agent.ApprovalDecided, agent.ApprovalExpired, agent.ApprovalCancelled); err != nil {
		return f, err
	}
	if err := OneOf("kind", f.Kind, agent.KindTool, agent.KindLoop, agent.KindBudget, agent.KindQuestion, agent.KindOutcome); err != nil {
		return f, err
	}
	if err := OneOf("risk", f.Risk, agent.RiskLow, agent.RiskMedium, agent.RiskHigh, agent.RiskCritical); err != nil {
		return f, err
	}
	if err := OneOf("age", q.Get("age"), "1h", "1d"); err != nil {
		return f, err
	}
	if age := ages[q.Get("age")]; age > 0 {
		f.OlderThan = now.Add(-age)
	}
	return f, OneOf("unread", q.Get("unread"), "true", "false")
}
