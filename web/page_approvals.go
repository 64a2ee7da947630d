package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
)

// inboxLimit is how many approvals one page of the inbox shows.
const inboxLimit = 50

// lateShare is the part of its time from which an approval is shown as late.
const lateShare = 0.75

// pageApprovals is the inbox: what waits for the viewer, the oldest first, or
// what his filter asks for.
func (s *Server) pageApprovals(c echo.Context) error {
	f, err := inboxFilter(c.QueryParams())
	if err != nil {
		return err
	}
	v := viewerOf(c)
	list, next, err := s.Store.Approvals(c.Request().Context(), v, f, agent.Page{Limit: inboxLimit, Cursor: c.QueryParam("cursor")})
	if err != nil {
		return err
	}
	props := inboxChoices(f)
	for _, a := range list {
		props.Rows = append(props.Rows, inboxRow(a, s.Clock.Now()))
	}
	if next != "" {
		q := c.QueryParams()
		q.Set("cursor", next)
		props.Next = "/approvals?" + q.Encode()
	}
	if v.Role.Reviews() && f.Status == agent.ApprovalPending {
		props.Live = true
	}
	frame := s.shell(c, "Approvals", "approvals")
	return s.render(c, http.StatusOK, page.Approvals(frame, props))
}

// inboxFilter reads the filter. No status is what waits, "all" is everything.
func inboxFilter(q url.Values) (agent.ApprovalFilter, error) {
	f := agent.ApprovalFilter{
		Status: agent.ApprovalStatus(q.Get("status")), Kind: agent.ApprovalKind(q.Get("kind")), Risk: agent.Risk(q.Get("risk")),
	}
	if f.Status == "" {
		f.Status = agent.ApprovalPending
	}
	for field, list := range inboxLists {
		if !list.has(q.Get(field)) {
			return f, agent.InvalidField(field, "is not one of the choices of the inbox")
		}
	}
	if f.Status == allStatuses {
		f.Status = ""
	}
	return f, nil
}

// allStatuses is the choice of the form that filters nothing.
const allStatuses agent.ApprovalStatus = "all"

type choices []page.Choice

func (l choices) has(value string) bool {
	for _, c := range l {
		if c.Value == value {
			return true
		}
	}
	return value == ""
}

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
		{Value: string(allStatuses), Label: "All"},
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
}

func inboxChoices(f agent.ApprovalFilter) page.ApprovalsProps {
	status := f.Status
	if status == "" {
		status = allStatuses
	}
	return page.ApprovalsProps{
		Statuses: inboxLists["status"].selected(string(status)),
		Kinds:    inboxLists["kind"].selected(string(f.Kind)),
		Risks:    inboxLists["risk"].selected(string(f.Risk)),
		Filtered: status != agent.ApprovalPending || f.Kind != "" || f.Risk != "",
	}
}

// inboxRow is an approval as one row of the inbox.
func inboxRow(a agent.Approval, now time.Time) page.InboxRow {
	row := page.InboxRow{
		ID: a.ID, Icon: inboxIcon(a.Kind), What: inboxWhat(a), Kind: string(a.Kind), Risk: string(a.Risk), Tone: riskTone(a.Risk),
		Why: a.Message, Title: a.ConversationTitle, Owner: a.OwnerEmail, Asked: a.RequestedAt, Expires: a.ExpiresAt,
	}
	if row.Title == "" {
		row.Title = "New chat"
	}
	row.Gist, row.Mono = inboxGist(a)
	if total := a.ExpiresAt.Sub(a.RequestedAt); total > 0 {
		row.Late = float64(now.Sub(a.RequestedAt)) > lateShare*float64(total)
	}
	if a.Status != agent.ApprovalPending {
		settled := settledOf(a)
		row.Settled = settled.Verb
		if settled.By != "" {
			row.Settled += " by " + settled.By
		}
	}
	return row
}

func inboxIcon(k agent.ApprovalKind) string {
	switch k {
	case agent.KindLoop:
		return "loop"
	case agent.KindBudget:
		return "budget"
	case agent.KindQuestion:
		return "chat"
	case agent.KindOutcome:
		return "warning"
	default:
		return "bolt"
	}
}

func riskTone(r agent.Risk) string {
	switch r {
	case agent.RiskLow:
		return "good"
	case agent.RiskMedium:
		return "warm"
	default:
		return "tripped"
	}
}

// inboxWhat names what is asked: the tool, or what tripped.
func inboxWhat(a agent.Approval) string {
	switch a.Kind {
	case agent.KindTool, agent.KindOutcome:
		return a.ToolName
	default:
		return cardHead(a)
	}
}

// inboxGist is the part that matters, in two lines at most: the command, the
// arguments or the numbers. Evidence that does not decode gives no gist; the
// approval's own page shows what there is.
func inboxGist(a agent.Approval) (gist string, mono bool) {
	const most = 240
	switch a.Kind {
	case agent.KindLoop:
		var ev agent.LoopEvidence
		if json.Unmarshal(a.Evidence, &ev) != nil || len(ev.Calls) == 0 {
			return "", false
		}
		last := ev.Calls[len(ev.Calls)-1]
		return clip(fmt.Sprintf("%s × %d %s", last.ToolName, ev.Count, last.Args), most), true
	case agent.KindBudget:
		var ev agent.BudgetEvidence
		if json.Unmarshal(a.Evidence, &ev) != nil {
			return "", false
		}
		return fmt.Sprintf("%s of %s tokens used, the next call takes up to %s",
			tokens(ev.UsedTokens), tokens(ev.LimitTokens), tokens(ev.NextStepTokens)), false
	default:
		var ev agent.ToolEvidence
		if json.Unmarshal(a.Evidence, &ev) == nil && ev.Command != "" {
			return clip(ev.Command, most), true
		}
		return clip(string(a.Args), most), true
	}
}
