package present

import (
	"cmp"
	"slices"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// RunState is the line in the composer. It leads to the card: what can be decided there is
// not offered twice.
func (p *Presenter) RunState() templ.Component {
	run := p.active()
	state := part.RunState{
		RunID: run.id, Status: string(run.Status), Label: run.label(p.Text), MayStop: p.mayStop, CSRF: p.CSRF,
		Aborting: run.aborting != "", Context: p.context,
	}
	if run != &p.Run {
		return part.RunStateView(state)
	}
	if p.Owns {
		state.Question = run.question
	}
	switch card := p.waitsFor(); {
	case state.Aborting:
		state.Label, state.Card, state.MayStop = p.Text.T("present.run.stopping"), CardID(p.Run.aborting), false
	case card != nil:
		state.Card = CardID(card.ID)
		open := card.Status == agent.ApprovalPending && p.mayDecide(*card)
		own := card.RunID == p.Run.id
		state.MayStop = p.mayStop && (!open || !own)
		if !own {
			state.Label = p.Text.T("present.child.decision", AgentName(p.Text, card.Agent))
		}
		if open && noApprove(p.Text, *card, Onlooker{Viewer: p.Viewer}) == "" || card.Status == agent.ApprovalExpired && p.Owns {
			state.Label = p.Text.T("present.run.for_you")
			if !own {
				state.Label = p.Text.T("present.child.your_decision", AgentName(p.Text, card.Agent))
			}
		}
	case p.Run.Status == agent.StatusPaused:
		state.Waits, state.MoreWaits = p.children.links(p.awaits.Children)
	}
	return part.RunStateView(state)
}

// waitsFor is the approval that the paused run waits for, nil for none: its own before those
// of the runs below it.
func (p *Presenter) waitsFor() *agent.Approval {
	if p.Run.Status != agent.StatusPaused {
		return nil
	}
	return cmp.Or(p.asks(), p.children.asks())
}

// asks is the approval that the run waits for itself, nil for none.
func (p *Presenter) asks() *agent.Approval {
	return p.cards.firstOpen(func(a *agent.Approval) bool {
		return a.RunID == p.Run.id || slices.Contains(p.awaits.ApprovalIDs, a.ID)
	})
}

// links lead to the cards of some children that have not ended, a few of them: of the runs of
// one agent to the first.
func (cs *children) links(ids []string) (links []part.RunLink, more int) {
	var names, cards []string
	for _, c := range cs.unended(ids) {
		name, card := AgentName(cs.page.Text, c.agent), ""
		if c.call != nil {
			card = c.call.id
		}
		if !slices.Contains(names, name) {
			cards = append(cards, card)
		}
		names = append(names, name)
	}
	for i, name := range tally(names) {
		if i == maxNames {
			return links, len(cards) - maxNames
		}
		links = append(links, part.RunLink{Name: name, Card: cards[i]})
	}
	return links, 0
}

// label says what a run that has not ended does.
func (r *RunView) label(tr *text.Printer) string {
	switch {
	case r.waits():
		return tr.T("present.run.waits")
	case r.Status == agent.StatusQueued && r.Place > 0:
		return QueuePlace(tr, r.Place)
	case r.Status == agent.StatusQueued:
		return tr.T("present.run.queued")
	case r.Status == agent.StatusRunning:
		return tr.T("present.run.running")
	case r.Status == agent.StatusPaused:
		return tr.T("present.run.paused")
	default:
		return ""
	}
}

// QueuePlace says what a run waits for that has a place in the queue.
func QueuePlace(tr *text.Printer, place int) string {
	if place == 1 {
		return tr.T("present.run.next")
	}
	return tr.T("present.run.behind", place-1)
}

// Paused reports whether the run that works waits for a decision.
func (p *Presenter) Paused() bool { return p.active().Status == agent.StatusPaused }

// active is the run whose state is shown above the composer: a conversation has at most one at work.
func (p *Presenter) active() *RunView {
	if p.Branch != nil && p.Branch.away != nil {
		return p.Branch.away
	}
	return &p.Run
}

// SetPlace takes over the place of the newest run in the queue, and returns what
// that changes on the page.
func (p *Presenter) SetPlace(place int) []Fragment {
	if p.active().Place == place {
		return nil
	}
	p.live, p.out = true, nil
	p.active().Place = place
	p.replace(runStateID, p.RunState())
	return p.out
}

// Queued is the run that is queued, "" for none.
func (p *Presenter) Queued() string {
	run := p.active()
	if run.Status != agent.StatusQueued || run.waits() {
		return ""
	}
	return run.id
}

// goOn begins a run, if there is one, behind a message that is there.
func (p *Presenter) goOn(runID string) {
	if runID == "" {
		return
	}
	p.moveOn()
	p.Run, p.told = NewRunView(runID, p.LoopLimit), ""
	p.Budgets.beginRun()
}
