package page

import (
	"fusebox/agent"
	"fusebox/views/text"
	"fusebox/web/present"
)

// sentence says what state the run is in and why, in words.
func (r *runRecord) sentence(tr *text.Printer) string {
	switch r.run.Status {
	case agent.StatusQueued:
		if r.place > 0 {
			return present.QueuePlace(tr, r.place)
		}
		return tr.T("page.run.queued")
	case agent.StatusRunning:
		return tr.T("page.run.running")
	case agent.StatusPaused:
		return r.waitsFor(tr)
	case agent.StatusFinished, agent.StatusStopped, agent.StatusFailed, agent.StatusAborted:
	}
	for _, e := range r.events {
		if f, ok := e.Data.(agent.Finish); ok && f.Message != "" {
			return tr.T("page.run.ended", present.EndHead(tr, f.StopReason), tr.Recorded(f.Message))
		}
	}
	return tr.T("common.sentence", present.EndHead(tr, r.run.StopReason))
}

// waitsFor repeats what the newest open approval asks.
func (r *runRecord) waitsFor(tr *text.Printer) string {
	if waits := r.waitsForRuns(tr); waits != "" {
		return waits
	}
	said := ""
	for _, e := range r.events {
		if a, ok := e.Data.(agent.ApprovalRequestedEvent); ok {
			said = a.Message
		}
	}
	if said == "" {
		return tr.T("page.run.paused")
	}
	return tr.T("page.run.paused_for", tr.Recorded(said))
}

// statusTone colours a run's status; a stop never looks like success.
func statusTone(run agent.Run) string {
	switch run.Status {
	case agent.StatusFinished:
		return "good"
	case agent.StatusPaused, agent.StatusAborted:
		return "warm"
	case agent.StatusStopped, agent.StatusFailed:
		return "tripped"
	default:
		return "accent"
	}
}
