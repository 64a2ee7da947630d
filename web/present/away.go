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
	if p.Branch == nil || p.Branch.runs[run.ID] || p.Run.id == run.ID {
		return
	}
	view := NewRunView(run.ID, p.LoopLimit)
	view.Status, view.since = run.Status, run.StartedAt
	p.Branch.away = &view
}

// elsewhere takes in an event of a run of another branch.
func (b *branch) elsewhere(e agent.Event) {
	if !b.live || e.ParentRunID != "" {
		return
	}
	begins, ends := false, false
	switch e.Data.(type) {
	case agent.Finish:
		b.away, ends = nil, true
	case agent.MessageEvent, agent.BranchEvent, agent.RunStart, agent.StepStart:
		if begins = b.awayNow() != e.RunID; begins {
			b.away = new(NewRunView(e.RunID, b.LoopLimit))
		}
		b.away.Fold(e)
	default:
		if b.awayNow() == e.RunID {
			b.away.Fold(e)
		}
	}
	if ends || b.told != b.awayNow() { // a page that reconnects may still show a run that has ended
		b.told = b.awayNow()
		b.replace(awayID, b.Away())
	}
	if begins {
		b.say(b.Text.T("versions.away"))
	}
}

// arrives says that a run works on this branch, also one that was taken for one of another before.
func (b *branch) arrives(runID string) {
	if b.awayNow() == runID {
		b.away, b.told = nil, ""
		b.replace(awayID, b.Away())
	}
}

// awayNow is the run that works on another branch, "" for none.
func (b *branch) awayNow() string {
	if b == nil || b.away == nil {
		return ""
	}
	return b.away.id
}

// Away says that a run works on another branch, and leads there.
func (b *branch) Away() templ.Component {
	runID := b.awayNow()
	away := part.Away{Runs: runID != ""}
	if away.Runs {
		away.Href = "/c/" + b.conv.ID + "?run=" + url.QueryEscape(runID)
	}
	return part.AwayView(away)
}

// aheadID is the element in the place of an answer that other branches have and this one has not.
const aheadID = "m-next"

// Ahead stands where the next answer is going to, as long as the branch ends with a message that others
// follow: its arrow leads back to them. It is nil where there are none.
func (b *branch) Ahead() templ.Component {
	if b == nil || !b.ahead() {
		return nil
	}
	n := len(b.followers)
	v := b.arrows(aheadID+"-v", "")
	v.At, v.Of, v.Before = n+1, n+1, b.followers[n-1]
	return part.AheadView(part.Ahead{ID: aheadID, Versions: v})
}

// ahead reports whether the end of the branch has versions on others, and no answer is written behind it.
func (b *branch) ahead() bool { return len(b.followers) > 0 && b.draft == "" }

// sendAhead brings the element on the page in line with the branch.
func (b *branch) sendAhead() {
	if ahead := b.Ahead(); ahead != nil {
		b.replace(aheadID, ahead)
	} else {
		b.remove(aheadID)
	}
}
