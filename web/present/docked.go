package present

import (
	"slices"

	"github.com/a-h/templ"

	"fusebox/agent"
)

// dock keeps the cards of children that a person has to see at the end of the page's
// transcript, wherever in the tree they are asked: each once, as long as it can be decided,
// asked again, or undone.
func (cs *children) dock(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.ApprovalRequestedEvent:
		if !slices.Contains(cs.docked, d.ApprovalID) {
			cs.docked = append(cs.docked, d.ApprovalID)
			cs.page.add(item{id: CardID(d.ApprovalID), seq: e.Seq, View: func() templ.Component { return cs.page.cards.view(d.ApprovalID) }})
			return
		}
	case agent.ApprovalDecidedEvent, agent.ToolCallStateEvent, agent.Notice, agent.Finish:
	default:
		return
	}
	cs.docked = slices.DeleteFunc(cs.docked, func(id string) bool {
		a := cs.page.cards.byID[id]
		switch {
		case a.RunID != e.RunID:
			return false
		case cs.waitForPeople(*a):
			if ofCard(e) {
				cs.page.replace(CardID(id), cs.page.cards.view(id))
			}
			return false
		}
		cs.page.items = slices.DeleteFunc(cs.page.items, func(it item) bool { return it.id == CardID(id) })
		cs.page.remove(CardID(id))
		return true
	})
}

// waitForPeople reports whether there is something for people to do about a child's card.
func (cs *children) waitForPeople(a agent.Approval) bool {
	if c := cs.byID[a.RunID]; c == nil || c.end != nil {
		return false
	}
	switch a.Status {
	case agent.ApprovalPending, agent.ApprovalExpired:
		return true
	default:
		return a.Status == agent.ApprovalDecided && !a.EffectiveAt.IsZero()
	}
}

// asks is the approval that one of them waits for, nil for none.
func (cs *children) asks() *agent.Approval {
	return cs.page.cards.firstOpen(func(a *agent.Approval) bool {
		c := cs.byID[a.RunID]
		return c != nil && c.end == nil
	})
}

// unended are those of some children that have not ended.
func (cs *children) unended(ids []string) []*child {
	var list []*child
	for _, id := range ids {
		if c := cs.byID[id]; c != nil && c.end == nil {
			list = append(list, c)
		}
	}
	return list
}
