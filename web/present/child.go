package present

import (
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

// foldChild takes in an event of a child run.
func (p *Presenter) foldChild(e agent.Event) {
	c := p.childOf(e)
	before := c.fold.Run
	switch d := e.Data.(type) {
	case agent.RunStart:
		p.beginChild(c, d)
	case agent.Finish:
		c.end = &d
	}
	p.foldInto(c, e)
	p.Budgets.fold(e, p.live)
	above := p.spendAbove(c, e)
	switch e.Data.(type) {
	case agent.RunStart:
		p.sendCard(c)
	case agent.Finish:
		if p.live {
			c.fold.forget() // what it said is loaded when somebody opens it
		}
		p.sendCard(c)
		if up := p.children[c.parent]; up != nil { // which waits for it no more
			p.sendHead(up)
		}
	default:
		if c.fold.Run != before || ofCard(e) {
			p.sendHead(c)
		}
	}
	for _, up := range above {
		p.sendHead(up)
	}
	p.dockCards(e)
}

// foldInto has the child's own presenter take an event in, and sends what that changes as
// long as the child's transcript is on the page.
func (p *Presenter) foldInto(c *child, e agent.Event) {
	_, starts := e.Data.(agent.RunStart) // its whole card is sent
	c.fold.live, c.fold.out = p.live && !starts && p.showsTranscript(c), nil
	e.ParentRunID = ""
	c.fold.fold(e)
	if starts { // it has no place yet
		c.fold.Run.stop(e.At, agent.StatusQueued)
	}
	p.out = append(p.out, c.fold.out...)
}

// childOf is the child that an event is of; it is made if it is new.
func (p *Presenter) childOf(e agent.Event) *child {
	if c := p.children[e.RunID]; c != nil {
		return c
	}
	c := &child{run: e.RunID, parent: e.ParentRunID, fold: NewFold(p.Text, p.conv, p.mayStop, p.mayDecide)}
	f := c.fold
	f.of, f.cards, f.children = c, p.cards, p.children
	f.CSRF, f.TokensOnly, f.Viewer, f.Schema, f.Zone, f.LoopLimit = p.CSRF, p.TokensOnly, p.Viewer, p.Schema, p.Zone, p.LoopLimit
	f.Run = NewRunView(e.RunID, p.LoopLimit)
	p.children[e.RunID] = c
	return c
}

// beginChild puts the child's card in the place of the call that made it.
func (p *Presenter) beginChild(c *child, d agent.RunStart) {
	c.agent, c.task, c.callID = d.Agent, d.Task, d.ToolCallID
	tools := p.tools
	if up := p.children[c.parent]; up != nil {
		tools = up.fold.tools
	}
	if t := tools[c.parent+"/"+c.callID]; t != nil {
		t.child, c.call = c, t
	}
}

// adopt gives a call the child that it has made: one commit may tell of the child before
// it tells of the answer with the call.
func (p *Presenter) adopt(t *toolCall) {
	for _, c := range p.children {
		if c.parent == t.run && c.callID == t.call {
			t.child, c.call = c, t
		}
	}
}

// spendAbove counts what a child's model call took towards the runs above it. It returns
// those that have cards.
func (p *Presenter) spendAbove(c *child, e agent.Event) (above []*child) {
	d, ok := e.Data.(agent.StepFinish)
	if !ok {
		return nil
	}
	for up := p.children[c.parent]; up != nil; up = p.children[up.parent] {
		up.fold.Run.spendBelow(d)
		above = append(above, up)
	}
	if slices.ContainsFunc(append(above, c), func(top *child) bool { return top.parent == p.Run.id }) {
		p.Run.spendBelow(d)
	}
	return above
}

// showsTranscript reports whether the page has the child's transcript: as long as it and the
// runs above it work. That of a child that has ended is loaded when somebody opens it.
func (p *Presenter) showsTranscript(c *child) bool {
	for ; c != nil; c = p.children[c.parent] {
		if c.call == nil || c.end != nil {
			return false
		}
	}
	return true
}

// showsCard reports whether the child's card is on the page.
func (p *Presenter) showsCard(c *child) bool {
	up := p.children[c.parent]
	return c.call != nil && (up == nil || p.showsTranscript(up))
}

func (p *Presenter) sendCard(c *child) {
	if p.live && p.showsCard(c) {
		p.replace(c.call.id, part.ToolCard(c.call.props()))
	}
}

func (p *Presenter) sendHead(c *child) {
	if p.live && p.showsCard(c) {
		head := c.head()
		p.replace(head.ID, part.ChildHeadView(head))
	}
}

// childID is the element of a child's transcript.
func childID(runID string) string { return "run-" + runID }

// ChildHref is where the transcript of a child is loaded from.
func ChildHref(conversationID, runID string) string { return "/c/" + conversationID + "/runs/" + runID }

// props are the child's card.
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

// views are the items of the transcript.
func (p *Presenter) views() []templ.Component {
	views := make([]templ.Component, len(p.items))
	for i, it := range p.items {
		views[i] = it.View()
	}
	return views
}

// Child is the transcript of a child run, whether it has ended or not; nil where the log that
// was folded has nothing of it.
func (p *Presenter) Child(runID string) templ.Component {
	c := p.children[runID]
	if c == nil {
		return nil
	}
	return part.ChildLog(childID(runID), c.fold.views())
}
