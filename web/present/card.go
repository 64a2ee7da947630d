package present

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/a-h/templ"

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

// ask shows an approval. One that is asked again takes the place of its card.
func (p *Presenter) ask(e agent.Event, d agent.ApprovalRequestedEvent) {
	a := &agent.Approval{
		ID: d.ApprovalID, Kind: d.Kind, Risk: d.Risk, RunID: e.RunID, ConversationID: p.conv.ID,
		ToolCallID: d.ToolCallID, ArgsHash: d.ArgsHash, Evidence: d.Evidence, Message: d.Message, Options: d.Options,
		Status: agent.ApprovalPending, Generation: d.Generation, RequestedAt: e.At, ExpiresAt: d.ExpiresAt, OwnerID: p.conv.OwnerID,
		Needs: d.Needs, Votes: d.Votes, Pattern: d.Pattern, Author: d.Author, OriginalArgs: d.OriginalArgs,
		Agent: d.Agent, Path: d.Path,
	}
	if t := p.tool(e, d.ToolCallID); t != nil {
		a.ToolName, a.Args = t.name, json.RawMessage(t.args)
		t.asked = d.Kind
		p.sendTool(t)
	}
	known := p.cards[a.ID]
	if known != nil && a.ToolName == "" {
		a.ToolName, a.Args = known.ToolName, known.Args
	}
	if len(d.Args) > 0 {
		a.Args = d.Args
	}
	if a.Kind == agent.KindBudget {
		a.BudgetID = budgetID(a.Evidence)
	}
	p.cards[a.ID] = a
	if known != nil {
		p.replace(p.cardID(a.ID), p.card(a.ID))
		return
	}
	p.add(item{id: p.cardID(a.ID), seq: e.Seq, View: func() templ.Component { return p.card(a.ID) }})
}

// decide shows what was decided.
func (p *Presenter) decide(e agent.Event, d agent.ApprovalDecidedEvent) {
	a := p.cards[d.ApprovalID]
	if a == nil {
		return
	}
	a.Status, a.Decision, a.DecidedBy, a.DecidedAt, a.Comment = agent.ApprovalDecided, agent.Verb(d.Decision), d.DecidedBy, e.At, d.Comment
	a.EffectiveAt, a.Scope, a.Covers, a.Answer = d.UndoUntil, d.Scope, d.Covers, d.Answer
	switch d.Decision {
	case cancelled:
		a.Status = agent.ApprovalCancelled
	case expired:
		a.Status, a.ExpiresAt = agent.ApprovalExpired, e.At
	}
	if t := p.tool(e, d.ToolCallID); t != nil {
		t.spared = a.Kind == agent.KindLoop && a.Answer == agent.ResumeFinishNow
	}
	p.replace(p.cardID(a.ID), p.card(a.ID))
}

// inEffect takes the undo button from the card of a call that has gone on.
func (p *Presenter) inEffect(e agent.Event, d agent.ToolCallStateEvent) {
	for _, a := range p.cards {
		if a.RunID != e.RunID || a.ToolCallID != d.ToolCallID || a.EffectiveAt.IsZero() || a.Status != agent.ApprovalDecided {
			continue
		}
		a.EffectiveAt = time.Time{}
		p.replace(p.cardID(a.ID), p.card(a.ID))
	}
}

// revoked marks the card of a decision whose cover was taken back.
func (p *Presenter) revoked(e agent.Event, d agent.Notice) {
	a := p.cards[d.RevokedID]
	if a == nil {
		return
	}
	a.RevokedAt, a.RevokedBy = e.At, d.RevokedBy
	p.replace(p.cardID(a.ID), p.card(a.ID))
}

// cardID is the card's element in this transcript. That of a child's has another id than the
// one at the end of the page's.
func (p *Presenter) cardID(approvalID string) string {
	if p.of != nil {
		return "own-" + CardID(approvalID)
	}
	return CardID(approvalID)
}

func (p *Presenter) card(id string) templ.Component {
	a := *p.cards[id]
	props := ApprovalProps(p.Text, a, Onlooker{Viewer: p.Viewer, MayDecide: p.mayDecide(a), InChat: true, TokensOnly: p.TokensOnly, CSRF: p.CSRF, Zone: p.Zone})
	props.DOM = p.cardID(id)
	if p.Schema != nil {
		AddArgsForm(p.Text, &props, a, p.Schema(a.ToolName))
	}
	return part.ApprovalCard(props)
}

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
