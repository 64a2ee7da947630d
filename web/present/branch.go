package present

import (
	"slices"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// awayID is the element that says what works on another branch.
const awayID = "away"

// opBranch has the page show the branch that the message Target is on; HTML says why.
const opBranch = "branch"

// branch is what a page shows of a tree of messages: the way to its leaf, which grows by what follows it.
type branch struct {
	leaf string
	// next is what follows a message here, on the branch; siblings are all versions of each that has several.
	next      map[string]string
	on        map[string]bool
	siblings  map[string][]string
	followers []string // of the leaf, on other branches
	// runs are those that are shown, and those that are not; cut are those of which messages alone are.
	runs, cut map[string]bool
	// seen is the newest message of the branch that was folded.
	seen string
	// away is the run that works on another branch, nil for none.
	away *away
	lost bool
}

// away is a run on another branch than the one that is shown, and the message that it is writing.
type away struct {
	run   RunView
	draft string
}

// Show makes the presenter one of a branch; it shows all that is said as long as it is not told of one.
func (p *Presenter) Show(path agent.Path) {
	b := &branch{
		leaf: path.Leaf, next: map[string]string{}, on: map[string]bool{}, siblings: map[string][]string{}, followers: path.Followers, runs: map[string]bool{}, cut: path.Cut,
	}
	before := ""
	for _, m := range path.Messages {
		b.on[m.ID], b.next[before] = true, m.ID
		if len(m.Siblings) > 1 {
			b.siblings[m.ID] = m.Siblings
		}
		b.runs[m.RunID] = !path.Cut[m.RunID]
		before = m.ID
	}
	p.branch = b
}

// SetAway takes over the conversation's run that has not ended, where it is of another branch.
func (p *Presenter) SetAway(run *agent.Run) {
	if p.branch == nil || p.branch.runs[run.ID] || p.Run.id == run.ID {
		return
	}
	view := NewRunView(run.ID, p.LoopLimit)
	view.Status, view.since = run.Status, run.StartedAt
	p.branch.away = &away{run: view, draft: run.State.DraftID}
}

// Lose makes the presenter that of a branch that is gone: nothing is shown of it.
func (p *Presenter) Lose() {
	p.Show(agent.Path{Leaf: "gone"})
	p.branch.lost = true
}

// Lost has the page of a branch that is gone show the one that is chosen.
func (p *Presenter) Lost() []Fragment {
	if p.branch == nil || !p.branch.lost {
		return nil
	}
	return []Fragment{{Op: opBranch, HTML: p.Text.T("versions.gone")}}
}

// Paused reports whether the run that works waits for a decision.
func (p *Presenter) Paused() bool { return p.active().Status == agent.StatusPaused }

// Leaf is the end of the branch that is shown.
func (p *Presenter) Leaf() string {
	if p.branch == nil {
		return ""
	}
	return p.branch.leaf
}

// active is the run that the line in the composer tells of: one conversation has one at work.
func (p *Presenter) active() *RunView {
	if p.branch != nil && p.branch.away != nil {
		return &p.branch.away.run
	}
	return &p.Run
}

// shows reports whether an event is of the branch that is shown, and follows it where it grows.
func (p *Presenter) shows(e agent.Event) bool {
	b := p.branch
	if b == nil || e.RunID == "" {
		return true
	}
	if e.ParentRunID != "" {
		shown, known := b.runs[e.ParentRunID]
		if known && !shown {
			b.runs[e.RunID] = false
		}
		return !known || shown
	}
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		return p.showsMessage(d.Message)
	case agent.BranchEvent:
		b.begins(e.RunID, d.LeafID, p.live)
	case agent.RunStart:
		if _, known := b.runs[e.RunID]; !known { // as older versions began runs that go on
			b.begins(e.RunID, b.seen, p.live)
		}
	case agent.StepStart:
		if b.runs[e.RunID] && len(b.followers) > 0 && b.seen == b.leaf {
			b.siblings[d.MessageID] = with(b.followers, d.MessageID)
		}
	}
	return b.runs[e.RunID]
}

// begins takes a run in that begins behind a message: it is shown where that is the end of what is shown.
func (b *branch) begins(runID, behind string, live bool) {
	end := b.seen
	if live || end == "" {
		end = b.leaf
	}
	b.runs[runID] = behind == end || b.seen == "" && b.on[behind]
}

// showsMessage reports whether a message is on the branch.
func (p *Presenter) showsMessage(m agent.Message) bool {
	b := p.branch
	if b.on[m.ID] {
		b.seen = m.ID
		return true
	}
	if p.live && m.ParentID == b.leaf && (m.Asks() || b.runs[m.RunID]) {
		b.on[m.ID], b.next[b.leaf], b.runs[m.RunID] = true, m.ID, true
		if len(b.followers) > 0 {
			b.siblings[m.ID] = with(b.followers, m.ID)
		}
		b.leaf, b.seen, b.followers = m.ID, m.ID, nil
		return true
	}
	if m.Asks() {
		b.runs[m.RunID] = false
	}
	if !p.live {
		return false
	}
	if m.ParentID == b.leaf {
		b.followers = with(b.followers, m.ID)
	} else if shown := b.next[m.ParentID]; shown != "" {
		if len(b.siblings[shown]) == 0 {
			b.siblings[shown] = []string{shown}
		}
		b.siblings[shown] = with(b.siblings[shown], m.ID)
		p.sendVersions(shown)
	}
	return false
}

// with is a list with one more in it, unless it was read with it already.
func with(all []string, id string) []string {
	if slices.Contains(all, id) {
		return all
	}
	return append(slices.Clone(all), id)
}

// elsewhere takes in an event of a run of another branch.
func (p *Presenter) elsewhere(e agent.Event) {
	if !p.live || e.ParentRunID != "" {
		return
	}
	b := p.branch
	switch d := e.Data.(type) {
	case agent.Finish:
		b.away = nil
	case agent.MessageEvent, agent.BranchEvent, agent.RunStart:
		p.awayFrom(e)
	case agent.StepStart:
		p.awayFrom(e).draft = d.MessageID
	default:
		if b.away != nil && b.away.run.id == e.RunID {
			b.away.run.Fold(e)
		}
	}
	if before := p.awayTold; before != p.awayNow() {
		p.awayTold = p.awayNow()
		p.replace(awayID, p.Away())
		if p.awayTold != (awayShown{}) && before == (awayShown{}) {
			p.say(p.Text.T("versions.away"))
		}
	}
}

// awayFrom is the run of another branch that an event is of.
func (p *Presenter) awayFrom(e agent.Event) *away {
	b := p.branch
	if b.away == nil || b.away.run.id != e.RunID {
		b.away = &away{run: NewRunView(e.RunID, p.LoopLimit)}
	}
	b.away.run.Fold(e)
	return b.away
}

// awayShown is what the page says of the run of another branch.
type awayShown struct{ runID, branch string }

func (p *Presenter) awayNow() (shown awayShown) {
	if p.branch != nil && p.branch.away != nil {
		shown = awayShown{p.branch.away.run.id, p.branch.away.draft}
	}
	return shown
}

// Away says that a run works on another branch, and leads there.
func (p *Presenter) Away() templ.Component {
	shown := p.awayNow()
	away := part.Away{Runs: shown.runID != ""}
	if away.Runs {
		away.Href = "/c/" + p.conv.ID + "?branch=" + shown.branch
	}
	return part.AwayView(away)
}

// deleted tells the page where to go if what it shows was deleted, and counts what is left.
func (p *Presenter) deleted(d agent.MessageDeletedEvent) {
	b := p.branch
	if b == nil || !p.live {
		return
	}
	if b.on[d.MessageID] {
		nearest := b.without(d.MessageID)
		p.out = append(p.out, Fragment{Op: opBranch, Target: nearest, HTML: p.Text.T("versions.gone")})
		return
	}
	b.followers = slices.DeleteFunc(slices.Clone(b.followers), func(id string) bool { return id == d.MessageID })
	for id, all := range b.siblings {
		if slices.Contains(all, d.MessageID) {
			b.siblings[id] = slices.DeleteFunc(slices.Clone(all), func(id string) bool { return id == d.MessageID })
			p.sendVersions(id)
		}
	}
}

// without is the version before one that was deleted, or behind it, or else the message above.
func (b *branch) without(id string) string {
	if all := b.siblings[id]; len(all) > 1 {
		if at := slices.Index(all, id); at > 0 {
			return all[at-1]
		}
		return all[1]
	}
	for above, next := range b.next {
		if next == id {
			return above
		}
	}
	return ""
}

func (p *Presenter) sendVersions(id string) {
	p.replace("m-"+id+"-v", part.VersionsView(p.versions(id)))
}

// versions are those of a message.
func (p *Presenter) versions(id string) part.Versions {
	v := part.Versions{ID: "m-" + id + "-v", Message: id}
	if p.branch == nil || p.of != nil {
		return v
	}
	v.CSRF, v.Action = p.CSRF, "/c/"+p.conv.ID+"/branch"
	if !p.Owns {
		v.Link = "/c/" + p.conv.ID + "?branch="
	}
	all := p.branch.siblings[id]
	if at := slices.Index(all, id); at >= 0 && len(all) > 1 {
		v.At, v.Of = at+1, len(all)
		if at > 0 {
			v.Before = all[at-1]
		}
		if at+1 < len(all) {
			v.After = all[at+1]
		}
	}
	return v
}
