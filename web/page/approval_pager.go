package page

import (
	"net/url"
	"slices"

	"fusebox/agent"
	"fusebox/views/page"
)

// pagerOf leads through the approvals of an answer that wait, oldest first; from one
// that was decided to the first of them.
func pagerOf(a agent.Approval, waiting []string) page.ApprovalPager {
	p := page.ApprovalPager{Of: len(waiting), All: "/approvals?status=pending&runId=" + url.QueryEscape(a.RunID)}
	at := slices.Index(waiting, a.ID)
	p.At = at + 1
	if at > 0 {
		p.Previous = "/approvals/" + url.PathEscape(waiting[at-1])
	}
	if p.At < len(waiting) {
		p.Next = "/approvals/" + url.PathEscape(waiting[p.At])
	}
	return p
}
