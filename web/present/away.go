package present

import (
	"net/url"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// awayID is the element that says what works on another branch.
const awayID = "away"

// SetAway takes over the conversation's run that has not ended, where it is of another branch.
func (p *Presenter) SetAway(run *agent.Run) {
	if p.branch == nil || p.branch.runs[run.ID] || p.Run.id == run.ID {
		return
	}
	view := NewRunView(run.ID, p.LoopLimit)
	view.Status, view.since = run.Status, run.StartedAt
	p.branch.away = &view
}

// elsewhere takes in an event of a run of another branch.
func (p *Presenter) elsewhere(e agent.Event) {
	if !p.live || e.ParentRunID != "" {
		return
	}
	b, begins, ends := p.branch, false, false
	switch e.Data.(type) {
	case agent.Finish:
		b.away, ends = nil, true
	case agent.MessageEvent, agent.BranchEvent, agent.RunStart, agent.StepStart:
		if begins = p.awayNow() != e.RunID; begins {
			b.away = new(NewRunView(e.RunID, p.LoopLimit))
		}
		b.away.Fold(e)
	default:
		if p.awayNow() == e.RunID {
			b.away.Fold(e)
		}
	}
	if ends || p.awayTold != p.awayNow() { // a page that comes back may tell of a run that has ended
		p.awayTold = p.awayNow()
		p.replace(awayID, p.Away())
	}
	if begins {
		p.say(p.Text.T("versions.away"))
	}
}

// awayNow is the run that works on another branch, "" for none.
func (p *Presenter) awayNow() string {
	if p.branch == nil || p.branch.away == nil {
		return ""
	}
	return p.branch.away.id
}

// Away says that a run works on another branch, and leads there.
func (p *Presenter) Away() templ.Component {
	runID := p.awayNow()
	away := part.Away{Runs: runID != ""}
	if away.Runs {
		away.Href = "/c/" + p.conv.ID + "?run=" + url.QueryEscape(runID)
	}
	return part.AwayView(away)
}

// aheadID is the element in the place of an answer that other branches have and this one has not.
const aheadID = "m-next"

// Ahead stands where the next answer is going to, as long as the branch ends with a message that others
// follow: its arrow leads back to them. It is nil where there are none.
func (p *Presenter) Ahead() templ.Component {
	if p.branch == nil || !p.branch.ahead() {
		return nil
	}
	return part.AheadView(part.Ahead{ID: aheadID, Versions: p.aheadVersions()})
}

// ahead reports whether the end of the branch has versions on others, and no answer is written behind it.
func (b *branch) ahead() bool { return len(b.followers) > 0 && b.draft == "" }

func (p *Presenter) aheadVersions() part.Versions {
	n := len(p.branch.followers)
	v := p.arrows(aheadID+"-v", "")
	v.At, v.Of, v.Before = n+1, n+1, p.branch.followers[n-1]
	return v
}

// sendAhead brings the element on the page in line with the branch.
func (p *Presenter) sendAhead() {
	if ahead := p.Ahead(); ahead != nil {
		p.replace(aheadID, ahead)
	} else {
		p.remove(aheadID)
	}
}
