package present

import (
	"net/url"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// RunState is the line in the composer.
func (p *Presenter) RunState() templ.Component {
	state := part.RunState{
		RunID: p.Run.id, Status: string(p.Run.Status), Label: p.Run.label(p.Text), MayStop: p.mayStop, CSRF: p.CSRF, Ends: p.Run.ends,
	}
	if p.Owns {
		state.Question = p.Run.question
	}
	if p.mayStop && p.Run.aborting != "" {
		state.Undo = "/approvals/" + url.PathEscape(p.Run.aborting) + "/undo"
	}
	return part.RunStateView(state)
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
