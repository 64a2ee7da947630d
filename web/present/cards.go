package present

import (
	"cmp"
	"slices"
	"strings"

	"fusebox/agent"
	"fusebox/views/text"
)

// cards are the approvals of the page and of its child runs, by their ids.
type cards map[string]*agent.Approval

// show reports whether a card of the run shows a person's words.
func (cs cards) show(m agent.Message) bool {
	for _, a := range cs {
		if a.RunID != m.RunID {
			continue
		}
		if a.DecidedBy == m.SaidBy && strings.TrimSpace(a.Comment) == m.Content {
			return true
		}
		for _, v := range a.Votes {
			if v.By == m.SaidBy && strings.TrimSpace(v.Comment) == m.Content {
				return true
			}
		}
	}
	return false
}

// firstOpen is the approval to show first: one that the viewer may decide before others, one
// that is open before one that has expired.
func (cs cards) firstOpen(mayDecide func(agent.Approval) bool, of func(*agent.Approval) bool) *agent.Approval {
	var all []*agent.Approval
	for _, a := range cs {
		if (a.Status == agent.ApprovalPending || a.Status == agent.ApprovalExpired) && of(a) {
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return nil
	}
	rank := func(a *agent.Approval) int {
		switch {
		case a.Status == agent.ApprovalExpired:
			return 2
		case mayDecide(*a):
			return 0
		default:
			return 1
		}
	}
	return slices.MinFunc(all, func(a, b *agent.Approval) int {
		return cmp.Or(rank(a)-rank(b), a.RequestedAt.Compare(b.RequestedAt), strings.Compare(a.ID, b.ID))
	})
}

// allow says which decision lets a call pass.
func (cs cards) allow(tr *text.Printer, by agent.Authority) string {
	who := ""
	if a := cs[by.ID]; a != nil {
		who = a.DecidedBy
	}
	switch {
	case by.Scope == agent.ScopeRun && who != "":
		return tr.T("present.reach.by_person_run", who)
	case by.Scope == agent.ScopeRun:
		return tr.T("present.reach.by_approval_run")
	case who != "":
		return tr.T("present.reach.by_person_conversation", who)
	default:
		return tr.T("present.reach.by_approval_conversation")
	}
}
