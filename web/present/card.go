package present

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/present/argform"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

// cancelled is the decision of a card whose run ended before anybody decided,
// expired that of one that nobody decided in time.
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
	}
	if t := p.tool(e, d.ToolCallID); t != nil {
		a.ToolName, a.Args = t.name, json.RawMessage(t.args)
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
		p.replace(CardID(a.ID), p.card(a.ID))
		return
	}
	p.add(item{id: CardID(a.ID), seq: e.Seq, View: func() templ.Component { return p.card(a.ID) }})
}

// settle shows what was decided.
func (p *Presenter) settle(e agent.Event, d agent.ApprovalDecidedEvent) {
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
	p.replace(CardID(a.ID), p.card(a.ID))
}

// inEffect takes the undo button from the card of a call that has gone on.
func (p *Presenter) inEffect(e agent.Event, d agent.ToolCallStateEvent) {
	for _, a := range p.cards {
		if a.RunID != e.RunID || a.ToolCallID != d.ToolCallID || a.EffectiveAt.IsZero() || a.Status != agent.ApprovalDecided {
			continue
		}
		a.EffectiveAt = time.Time{}
		p.replace(CardID(a.ID), p.card(a.ID))
	}
}

// revoked marks the card of a decision whose cover was taken back.
func (p *Presenter) revoked(e agent.Event, d agent.Notice) {
	a := p.cards[d.RevokedID]
	if a == nil {
		return
	}
	a.RevokedAt, a.RevokedBy = e.At, d.RevokedBy
	p.replace(CardID(a.ID), p.card(a.ID))
}

func (p *Presenter) card(id string) templ.Component {
	a := *p.cards[id]
	props := ApprovalProps(a, Onlooker{Viewer: p.Viewer, MayDecide: p.mayDecide(a), CSRF: p.CSRF, Zone: p.Zone})
	if p.TokensOnly {
		HideCardMoney(&props)
	}
	if p.Schema != nil {
		AddArgsForm(&props, a, p.Schema(a.ToolName))
	}
	return part.ApprovalCard(props)
}

// Onlooker is who looks at a card, and whether he may decide it.
type Onlooker struct {
	agent.Viewer
	MayDecide bool
	CSRF      string
	// Zone is the instance's; nil is UTC.
	Zone *time.Location
}

// ApprovalProps is an approval as its card shows it, on every page.
func ApprovalProps(a agent.Approval, who Onlooker) part.Approval {
	props := part.Approval{
		ID: a.ID, DOM: CardID(a.ID), Kind: string(a.Kind), Risk: string(a.Risk), Head: CardHead(a), Why: invisible.Visible(a.Message),
		ArgsHash: a.ArgsHash, Generation: a.Generation, CSRF: who.CSRF, Expires: a.ExpiresAt,
		MayDecide: who.MayDecide, Critical: a.Risk == agent.RiskCritical, AboutRun: a.ToolCallID == "",
		ForAdmins: a.Kind == agent.KindBudget && a.BudgetID != "", Needs: a.Needs, NoApprove: noApprove(a, who), Reach: reachOf(a),
	}
	for _, v := range a.Votes {
		props.Votes = append(props.Votes, part.VoteShown{By: v.By, At: v.At, Comment: v.Comment})
	}
	if len(a.Args) > 0 {
		props.Args = jsontext.Indent(string(a.Args))
	}
	for _, o := range a.Options {
		props.Options = append(props.Options, part.Choice{ID: o.ID, Label: invisible.Visible(o.Label), Hint: optionHints[o.ID], Counts: o.ID == agent.ResumeAllowMore})
	}
	addEvidence(&props, a, cmp.Or(who.Zone, time.UTC))
	if a.Status != agent.ApprovalPending && a.Status != "" {
		props.Settled = settledOf(a)
		addAfter(props.Settled, a, who)
	}
	return props
}

// noApprove says why somebody who may decide a card may not approve it.
func noApprove(a agent.Approval, who Onlooker) string {
	voted := slices.ContainsFunc(a.Votes, func(v agent.Vote) bool { return v.By == who.Email })
	switch {
	case a.Kind == agent.KindBudget && !agent.MayRaise(who.Viewer, a):
		return "Only an admin can raise this budget: an admin has set it."
	case voted:
		return "You have approved this. Another reviewer has to approve it as well."
	case a.Author != "" && a.Author == who.Email:
		return "You have edited these arguments. Another reviewer has to approve them."
	default:
		return ""
	}
}

// addAfter offers what can still be done with a card that is settled.
func addAfter(s *part.Settled, a agent.Approval, who Onlooker) {
	owner := a.OwnerID == who.UserID
	if a.Kind == agent.KindQuestion {
		s.Answer = a.Answer
	}
	switch a.Status {
	case agent.ApprovalExpired:
		s.Again = owner || who.MayDecide
	case agent.ApprovalDecided:
		s.Undo, s.Then, s.MayUndo = a.EffectiveAt, "Runs in", who.MayDecide || a.DecidedBy == who.Email
		if s.Covers = coversText(a); s.Covers != "" {
			s.Revoked, s.RevokedAt = a.RevokedBy, a.RevokedAt
			s.MayRevoke = owner || who.Role.Reviews()
		}
	case agent.ApprovalPending, agent.ApprovalCancelled:
	}
}

// optionHints say what comes of each way to go on.
var optionHints = map[string]string{
	agent.ResumePlain:     "Where a call is held back it is executed; the streak goes on and meets the breaker.",
	agent.ResumeAllowMore: "Then the breakers count as before, and ask again.",
	agent.ResumeAsPolling: "It is tried again without the model, after 2 s, 4 s, … 60 s. Only a new result goes to the model.",
	agent.ResumeFinishNow: "One last answer, without tools.",
}

// AddArgsForm adds the arguments as fields, where a person may edit them.
func AddArgsForm(props *part.Approval, a agent.Approval, schema json.RawMessage) {
	if a.Kind != agent.KindTool || !props.MayDecide || props.Settled != nil {
		return
	}
	if root, ok := argform.Tree(schema, a.Args); ok {
		props.Fields = root.Fields()
	}
}
