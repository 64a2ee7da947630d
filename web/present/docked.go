package present

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
)

// dockCards keeps the cards of children that a person has to see at the end of the page's
// transcript, wherever in the tree they are asked: each once, as long as it can be decided,
// asked again, or undone.
func (p *Presenter) dockCards(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.ApprovalRequestedEvent:
		if !slices.Contains(p.docked, d.ApprovalID) {
			p.docked = append(p.docked, d.ApprovalID)
			p.add(item{id: CardID(d.ApprovalID), seq: e.Seq, View: func() templ.Component { return p.card(d.ApprovalID) }})
			return
		}
	case agent.ApprovalDecidedEvent, agent.ToolCallStateEvent, agent.Notice, agent.Finish:
	default:
		return
	}
	p.docked = slices.DeleteFunc(p.docked, func(id string) bool {
		a := p.cards[id]
		switch {
		case a.RunID != e.RunID:
			return false
		case p.waitsForPeople(*a):
			if ofCard(e) {
				p.replace(CardID(id), p.card(id))
			}
			return false
		}
		p.items = slices.DeleteFunc(p.items, func(it item) bool { return it.id == CardID(id) })
		p.remove(CardID(id))
		return true
	})
}

// waitsForPeople reports whether there is something for people to do about a child's card.
func (p *Presenter) waitsForPeople(a agent.Approval) bool {
	if c := p.children[a.RunID]; c == nil || c.end != nil {
		return false
	}
	switch a.Status {
	case agent.ApprovalPending, agent.ApprovalExpired:
		return true
	default:
		return a.Status == agent.ApprovalDecided && !a.EffectiveAt.IsZero()
	}
}

// asks is the approval that the run waits for itself, nil for none.
func (p *Presenter) asks() *agent.Approval {
	return p.firstOpen(func(a *agent.Approval) bool {
		return a.RunID == p.Run.id || slices.Contains(p.awaits.ApprovalIDs, a.ID)
	})
}

// asksBelow is the approval that a run below waits for, nil for none.
func (p *Presenter) asksBelow() *agent.Approval {
	return p.firstOpen(func(a *agent.Approval) bool {
		c := p.children[a.RunID]
		return c != nil && c.end == nil
	})
}

// firstOpen is the approval to show first: one that the viewer may decide before others, one
// that is open before one that has expired.
func (p *Presenter) firstOpen(of func(*agent.Approval) bool) *agent.Approval {
	var all []*agent.Approval
	for _, a := range p.cards {
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
		case p.mayDecide(*a):
			return 0
		default:
			return 1
		}
	}
	return slices.MinFunc(all, func(a, b *agent.Approval) int {
		return cmp.Or(rank(a)-rank(b), a.RequestedAt.Compare(b.RequestedAt), strings.Compare(a.ID, b.ID))
	})
}

// awaited are the children that the paused run waits for and that have not ended.
func (p *Presenter) awaited() []*child {
	var list []*child
	for _, id := range p.awaits.Children {
		if c := p.children[id]; c != nil && c.end == nil {
			list = append(list, c)
		}
	}
	return list
}
