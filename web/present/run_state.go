package present

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// RunState is the line in the composer. It leads to the card: what can be decided there is
// not offered twice.
func (p *Presenter) RunState() templ.Component {
	state := part.RunState{
		RunID: p.Run.id, Status: string(p.Run.Status), Label: p.Run.label(p.Text), MayStop: p.mayStop, CSRF: p.CSRF,
		Aborting: p.Run.aborting != "",
	}
	if p.Owns {
		state.Question = p.Run.question
	}
	switch card := p.waitsFor(); {
	case state.Aborting:
		state.Label, state.Card, state.MayStop = p.Text.T("present.run.stopping"), CardID(p.Run.aborting), false
	case card != nil:
		state.Card = CardID(card.ID)
		open := card.Status == agent.ApprovalPending && p.mayDecide(*card)
		state.MayStop = p.mayStop && !open
		if open && noApprove(p.Text, *card, Onlooker{Viewer: p.Viewer}) == "" || card.Status == agent.ApprovalExpired && p.Owns {
			state.Label = p.Text.T("present.run.for_you")
		}
	}
	return part.RunStateView(state)
}

// waitsFor is the approval that the paused run waits for, nil for none: one that the viewer
// may decide before others, one that is open before one that has expired.
func (p *Presenter) waitsFor() *agent.Approval {
	var all []*agent.Approval
	for _, a := range p.cards {
		if a.RunID == p.Run.id && (a.Status == agent.ApprovalPending || a.Status == agent.ApprovalExpired) {
			all = append(all, a)
		}
	}
	if p.Run.Status != agent.StatusPaused || len(all) == 0 {
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

// SetPlace takes over the place of the newest run in the queue, and returns what
// that changes on the page.
func (p *Presenter) SetPlace(place int) []Fragment {
	if p.Run.Place == place {
		return nil
	}
	p.live, p.out = true, nil
	p.Run.Place = place
	p.replace(runStateID, p.RunState())
	return p.out
}

// Queued is the run that is queued, "" for none.
func (p *Presenter) Queued() string {
	if p.Run.Status != agent.StatusQueued || p.Run.waits() {
		return ""
	}
	return p.Run.id
}
