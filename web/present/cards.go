package present

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// cards are the approvals that a transcript shows. A page and its child runs know all of each other's.
type cards struct {
	*audience
	*transcript
	tools *toolCalls
	byID  map[string]*agent.Approval
	// prefix is how the elements of a child's cards begin: one at the end of the page's transcript has
	// the same card.
	prefix string
}

// ask shows an approval. One that is asked again takes the place of its card.
func (cs *cards) ask(e agent.Event, d agent.ApprovalRequestedEvent) {
	a := &agent.Approval{
		ID: d.ApprovalID, Kind: d.Kind, Risk: d.Risk, RunID: e.RunID, ConversationID: cs.conv.ID,
		ToolCallID: d.ToolCallID, ArgsHash: d.ArgsHash, Evidence: d.Evidence, Message: d.Message, Options: d.Options,
		Status: agent.ApprovalPending, Generation: d.Generation, RequestedAt: e.At, ExpiresAt: d.ExpiresAt, OwnerID: cs.conv.OwnerID,
		Needs: d.Needs, Votes: d.Votes, Pattern: d.Pattern, Author: d.Author, OriginalArgs: d.OriginalArgs,
		Agent: d.Agent, Path: d.Path,
	}
	if t := cs.tools.find(e.RunID, d.ToolCallID); t != nil {
		a.ToolName, a.Args = t.name, json.RawMessage(t.args)
		t.asked = d.Kind
		cs.tools.send(t)
	}
	known := cs.byID[a.ID]
	if known != nil && a.ToolName == "" {
		a.ToolName, a.Args = known.ToolName, known.Args
	}
	if len(d.Args) > 0 {
		a.Args = d.Args
	}
	if a.Kind == agent.KindBudget {
		ev, _ := agent.Evidence(a.Evidence).Budget()
		a.BudgetID = ev.BudgetID
	}
	cs.byID[a.ID] = a
	if known != nil {
		cs.replace(cs.element(a.ID), cs.view(a.ID))
		return
	}
	cs.add(item{id: cs.element(a.ID), seq: e.Seq, View: func() templ.Component { return cs.view(a.ID) }})
}

func (cs *cards) decide(e agent.Event, d agent.ApprovalDecidedEvent) {
	a := cs.byID[d.ApprovalID]
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
	if t := cs.tools.find(e.RunID, d.ToolCallID); t != nil {
		t.spared = a.Kind == agent.KindLoop && a.Answer == agent.ResumeFinishNow
	}
	cs.replace(cs.element(a.ID), cs.view(a.ID))
}

// inEffect takes the undo button from the card of a call that has gone on.
func (cs *cards) inEffect(e agent.Event, d agent.ToolCallStateEvent) {
	for _, a := range cs.byID {
		if a.RunID != e.RunID || a.ToolCallID != d.ToolCallID || a.EffectiveAt.IsZero() || a.Status != agent.ApprovalDecided {
			continue
		}
		a.EffectiveAt = time.Time{}
		cs.replace(cs.element(a.ID), cs.view(a.ID))
	}
}

// revoked marks the card of a decision whose cover was taken back.
func (cs *cards) revoked(e agent.Event, d agent.Notice) {
	a := cs.byID[d.RevokedID]
	if a == nil {
		return
	}
	a.RevokedAt, a.RevokedBy = e.At, d.RevokedBy
	cs.replace(cs.element(a.ID), cs.view(a.ID))
}

// element is the card's in this transcript.
func (cs *cards) element(approvalID string) string { return cs.prefix + CardID(approvalID) }

func (cs *cards) view(id string) templ.Component {
	a := *cs.byID[id]
	props := ApprovalProps(cs.Text, a, Onlooker{Viewer: cs.Viewer, MayDecide: cs.mayDecide(a), InChat: true, TokensOnly: cs.TokensOnly, CSRF: cs.CSRF, Zone: cs.Zone})
	props.DOM = cs.element(id)
	if cs.Schema != nil {
		AddArgsForm(cs.Text, &props, a, cs.Schema(a.ToolName))
	}
	return part.ApprovalCard(props)
}

// show reports whether a card of the run shows a person's words.
func (cs *cards) show(m agent.Message) bool {
	said := func(by, comment string) bool { return by == m.SaidBy && strings.TrimSpace(comment) == m.Content }
	for _, a := range cs.byID {
		if a.RunID == m.RunID && (said(a.DecidedBy, a.Comment) || slices.ContainsFunc(a.Votes, func(v agent.Vote) bool { return said(v.By, v.Comment) })) {
			return true
		}
	}
	return false
}

// firstOpen is the approval to show first: one that the viewer may decide before others, one
// that is open before one that has expired.
func (cs *cards) firstOpen(of func(*agent.Approval) bool) *agent.Approval {
	var all []*agent.Approval
	for _, a := range cs.byID {
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
		case cs.mayDecide(*a):
			return 0
		default:
			return 1
		}
	}
	return slices.MinFunc(all, func(a, b *agent.Approval) int {
		return cmp.Or(rank(a)-rank(b), a.RequestedAt.Compare(b.RequestedAt), strings.Compare(a.ID, b.ID))
	})
}

// allowedBy says which decision, rule, or equal call let a call pass without anybody being
// asked, and where it can be revoked; "" where it is none of them.
func (cs *cards) allowedBy(by agent.Authority) (says, href string) {
	switch by.Kind {
	case agent.AuthorityScope:
		return cs.scopeOf(by), "/approvals/" + by.ID
	case agent.AuthorityRule:
		if cs.Viewer.Role == agent.RoleAdmin {
			href = "/admin/tools#rule-" + by.ID
		}
		return cs.Text.T("present.reach.by_rule"), href
	case agent.AuthorityTwin:
		return cs.Text.T("present.reach.by_twin"), ""
	default:
		return "", ""
	}
}

func (cs *cards) scopeOf(by agent.Authority) string {
	who := ""
	if a := cs.byID[by.ID]; a != nil {
		who = a.DecidedBy
	}
	switch {
	case by.Scope == agent.ScopeRun && who != "":
		return cs.Text.T("present.reach.by_person_run", who)
	case by.Scope == agent.ScopeRun:
		return cs.Text.T("present.reach.by_approval_run")
	case who != "":
		return cs.Text.T("present.reach.by_person_conversation", who)
	default:
		return cs.Text.T("present.reach.by_approval_conversation")
	}
}
