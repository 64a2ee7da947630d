package present

import (
	"encoding/json"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/argform"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// cancelled is the decision of a card whose run ended before anybody decided,
// expired that of a card that was not decided in time.
const (
	cancelled = "cancelled"
	expired   = "expired"
)

// CardID is the id of an approval's card on a page.
func CardID(approvalID string) string { return "a-" + approvalID }

// Onlooker is the viewer of a card, and whether they may decide it.
type Onlooker struct {
	agent.Viewer
	MayDecide bool
	// InChat says that the card stands among those of its answer's other calls.
	InChat bool
	// TokensOnly says that they are not shown money.
	TokensOnly bool
	CSRF       string
	// Zone is the instance's; nil is UTC.
	Zone *time.Location
}

// whyOf says why somebody has to decide: in the agent's words where it asks.
func whyOf(tr *text.Printer, a agent.Approval) string {
	if a.Kind == agent.KindQuestion {
		return a.Message
	}
	return tr.Recorded(a.Message)
}

// ApprovalProps is an approval as its card shows it, on every page.
func ApprovalProps(tr *text.Printer, a agent.Approval, who Onlooker) part.Approval {
	props := part.Approval{
		ID: a.ID, DOM: CardID(a.ID), Kind: string(a.Kind), Risk: string(a.Risk), Head: CardHead(tr, a), Why: invisible.Visible(whyOf(tr, a)),
		ArgsHash: a.ArgsHash, Generation: a.Generation, CSRF: who.CSRF, Expires: a.ExpiresAt,
		Path: pathOf(tr, a.Path), MayDecide: who.MayDecide, Critical: a.Risk == agent.RiskCritical, AboutRun: a.ToolCallID == "",
		ForAdmins: a.Kind == agent.KindBudget && a.BudgetID != "", ForOwner: a.Kind == agent.KindQuestion, Needs: a.Needs, NoApprove: noApprove(tr, a, who), Reach: reachOf(a),
	}
	for _, v := range a.Votes {
		props.Votes = append(props.Votes, part.VoteShown{By: v.By, At: v.At, Comment: v.Comment})
	}
	if len(a.Args) > 0 {
		props.Args = jsontext.Indent(string(a.Args))
	}
	props.Options = choicesOf(tr, a, who.TokensOnly)
	addEvidence(tr, &props, a, who)
	if a.Status != agent.ApprovalPending && a.Status != "" {
		props.Settled = settledOf(tr, a)
		addAfter(tr, props.Settled, a, who)
	}
	return props
}

// noApprove says why a viewer who may decide a card may not approve it.
func noApprove(tr *text.Printer, a agent.Approval, who Onlooker) string {
	voted := slices.ContainsFunc(a.Votes, func(v agent.Vote) bool { return v.By == who.Email })
	switch {
	case a.Kind == agent.KindBudget && !agent.MayRaise(who.Viewer, a):
		return tr.T("present.card.only_admin")
	case voted:
		return tr.T("present.card.you_approved")
	case a.Author != "" && a.Author == who.Email:
		return tr.T("present.card.you_edited")
	default:
		return ""
	}
}

// addAfter offers what can still be done with a card that is settled.
func addAfter(tr *text.Printer, s *part.Settled, a agent.Approval, who Onlooker) {
	owner := a.OwnerID == who.UserID
	if a.Kind == agent.KindQuestion {
		s.Answer = a.Answer
	}
	switch a.Status {
	case agent.ApprovalExpired:
		s.Again = owner || who.MayDecide
	case agent.ApprovalDecided:
		s.Ends = a.Decision == agent.DecideAbort
		s.Undo, s.MayUndo = a.EffectiveAt, who.MayDecide || a.DecidedBy == who.Email || s.Ends && owner
		if s.Covers = coversText(tr, a); s.Covers != "" {
			s.Revoked, s.RevokedAt = a.RevokedBy, a.RevokedAt
			s.MayRevoke = owner || who.Role.Reviews()
		}
	case agent.ApprovalPending, agent.ApprovalCancelled:
	}
}

// AddArgsForm adds the arguments as fields, where a person may edit them.
func AddArgsForm(tr *text.Printer, props *part.Approval, a agent.Approval, schema json.RawMessage) {
	if a.Kind != agent.KindTool || !props.MayDecide || props.Settled != nil {
		return
	}
	if root, ok := argform.Tree(schema, a.Args); ok {
		props.Fields = root.Fields(tr)
	}
}
