package present

import (
	"cmp"
	"slices"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// child is a child run. Its card stands in the place of the call that made it, and has a
// transcript of its own, which a presenter of its own folds.
type child struct {
	run, parent string
	callID      string
	agent, task string
	// call is that of the run that made it, nil where the page does not show it.
	call *toolCall
	fold *Presenter
	// end is nil as long as the child has not ended.
	end *agent.Finish
}

// children are the child runs of a page. Each has a presenter of its own; they share the
// cards and the fragments of the page's.
type children struct {
	page *Presenter
	byID map[string]*child
	// docked are those of their approvals that stand at the end of the page's transcript.
	docked []string
}

func (cs *children) fold(e agent.Event) {
	c := cs.of(e)
	before := c.fold.Run
	switch d := e.Data.(type) {
	case agent.RunStart:
		cs.begin(c, d)
	case agent.Finish:
		c.end = &d
	}
	cs.foldInto(c, e)
	cs.page.Budgets.fold(e, cs.page.live)
	above := cs.spendAbove(c, e)
	switch e.Data.(type) {
	case agent.RunStart:
		cs.sendCard(c)
	case agent.Finish:
		if cs.page.live {
			c.fold.forget() // what it said is loaded when somebody opens it
		}
		cs.sendCard(c)
		if up := cs.byID[c.parent]; up != nil { // which waits for it no more
			cs.sendHead(up)
		}
	default:
		if c.fold.Run != before || ofCard(e) {
			cs.sendHead(c)
		}
	}
	for _, up := range above {
		cs.sendHead(up)
	}
	cs.dock(e)
}

// foldInto has the child's own presenter take an event in, and sends what that changes as
// long as the child's transcript is on the page.
func (cs *children) foldInto(c *child, e agent.Event) {
	_, starts := e.Data.(agent.RunStart) // its whole card is sent
	c.fold.live, c.fold.out = cs.page.live && !starts && cs.showsTranscript(c), nil
	e.ParentRunID = ""
	c.fold.fold(e)
	if starts { // it has no place yet
		c.fold.Run.stop(e.At, agent.StatusQueued)
	}
	cs.page.out = append(cs.page.out, c.fold.out...)
}

// of is the child that an event is of; it is made if it is new.
func (cs *children) of(e agent.Event) *child {
	if c := cs.byID[e.RunID]; c != nil {
		return c
	}
	to := *cs.page.audience
	to.Owns = false // what the owner may do is on the page
	c := &child{run: e.RunID, parent: e.ParentRunID, fold: newFold(&to, childID(e.RunID))}
	c.fold.below, c.fold.cards.prefix, c.fold.cards.byID = true, "own-", cs.page.cards.byID
	c.fold.children, c.fold.tools.children = cs, cs
	c.fold.Run = NewRunView(e.RunID, to.LoopLimit)
	cs.byID[e.RunID] = c
	return c
}

// begin puts the child's card in the place of the call that made it.
func (cs *children) begin(c *child, d agent.RunStart) {
	c.agent, c.task, c.callID = cmp.Or(d.Agent, d.Workflow), d.Task, d.ToolCallID
	tools := cs.page.tools
	if up := cs.byID[c.parent]; up != nil {
		tools = up.fold.tools
	}
	if t := tools.find(c.parent, c.callID); t != nil {
		t.child, c.call = c, t
	}
}

// adopt gives a call the child that it has made: one commit may tell of the child before
// it tells of the answer with the call.
func (cs *children) adopt(t *toolCall) {
	for _, c := range cs.byID {
		if c.parent == t.run && c.callID == t.call {
			t.child, c.call = c, t
		}
	}
}

// spendAbove counts what a child's model call took towards the runs above it. It returns
// those that have cards.
func (cs *children) spendAbove(c *child, e agent.Event) (above []*child) {
	d, ok := e.Data.(agent.StepFinish)
	if !ok {
		return nil
	}
	for up := cs.byID[c.parent]; up != nil; up = cs.byID[up.parent] {
		up.fold.Run.AddBelow(d.Usage.Total(), d.CostMicros)
		above = append(above, up)
	}
	if slices.ContainsFunc(append(above, c), func(top *child) bool { return top.parent == cs.page.Run.id }) {
		cs.page.Run.AddBelow(d.Usage.Total(), d.CostMicros)
	}
	return above
}

// showsTranscript reports whether the page has the child's transcript: as long as it and the
// runs above it work. That of a child that has ended is loaded when somebody opens it.
func (cs *children) showsTranscript(c *child) bool {
	for ; c != nil; c = cs.byID[c.parent] {
		if c.call == nil || c.end != nil {
			return false
		}
	}
	return true
}

func (cs *children) showsCard(c *child) bool {
	up := cs.byID[c.parent]
	return c.call != nil && (up == nil || cs.showsTranscript(up))
}

func (cs *children) sendCard(c *child) {
	if cs.page.live && cs.showsCard(c) {
		cs.page.replace(c.call.id, part.ToolCard(c.call.props()))
	}
}

func (cs *children) sendHead(c *child) {
	if cs.page.live && cs.showsCard(c) {
		head := c.head()
		cs.page.replace(head.ID, part.ChildHeadView(head))
	}
}

// childID is the element of a child's transcript.
func childID(runID string) string { return "run-" + runID }

// ChildHref is where the transcript of a child is loaded from.
func ChildHref(conversationID, runID string) string { return "/c/" + conversationID + "/runs/" + runID }

func (c *child) props() *part.Child {
	p := c.fold
	task, inputs := agent.SplitTask(c.task)
	shown := &part.Child{ID: childID(c.run), Run: "/runs/" + c.run, Head: c.head(), Task: visibleTask(task), Inputs: visibleTask(inputs)}
	if c.end != nil {
		shown.Load = ChildHref(p.conv.ID, c.run)
		return shown
	}
	shown.Items = p.views()
	if p.mayStop {
		shown.Stop, shown.CSRF = "/runs/"+c.run+"/abort", p.CSRF
	}
	return shown
}

// Child is the transcript of a child run, whether it has ended or not; nil where the log that
// was folded has nothing of it.
func (p *Presenter) Child(runID string) templ.Component {
	c := p.children.byID[runID]
	if c == nil {
		return nil
	}
	return part.ChildLog(childID(runID), c.fold.views())
}

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
	c := cs.byID[a.RunID]
	open := a.Status == agent.ApprovalPending || a.Status == agent.ApprovalExpired
	return c != nil && c.end == nil && (open || a.Status == agent.ApprovalDecided && !a.EffectiveAt.IsZero())
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
