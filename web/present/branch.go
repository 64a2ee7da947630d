package present

import (
	"slices"

	"fusebox/agent"
	"fusebox/views/part"
)

// opBranch has the page show the branch that the message Target is on; HTML says why.
const opBranch = "branch"

// branch is what a page shows of a tree of messages: the way to its leaf, which grows by what follows it.
type branch struct {
	*audience
	*transcript
	leaf string
	// next is what follows a message here, on the branch; siblings are all versions of each that has several.
	next      map[string]string
	on        map[string]bool
	siblings  map[string][]string
	followers []string // of the leaf, on other branches
	// runs are those that are shown, and those that are not; cut are those of which messages alone are.
	runs, cut map[string]bool
	// seen is the newest message of the branch that was folded, draft the one that is written behind its end.
	seen, draft string
	// away is the run that works on another branch, nil for none.
	away *RunView
	told string // the run that the page has said works there
	lost bool
}

// Show makes the presenter one of a branch; it shows all that is said as long as it is not told of one.
func (p *Presenter) Show(path agent.Path) {
	b := &branch{
		audience: p.audience, transcript: p.transcript, leaf: path.Leaf, next: map[string]string{}, on: map[string]bool{}, siblings: map[string][]string{}, followers: path.Followers, runs: map[string]bool{}, cut: path.Cut,
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
	p.Branch = b
}

// Lose makes the presenter that of a branch that is gone: nothing is shown of it.
func (p *Presenter) Lose() {
	p.Show(agent.Path{Leaf: "gone"})
	p.Branch.lost = true
}

// Lost has the page of a branch that is gone show the one that is chosen.
func (b *branch) Lost() []Fragment {
	if b == nil || !b.lost {
		return nil
	}
	return []Fragment{{Op: opBranch, HTML: b.Text.T("versions.gone")}}
}

// Leaf is the end of the branch.
func (b *branch) Leaf() string {
	if b == nil {
		return ""
	}
	return b.leaf
}

// shows reports whether an event is of the branch that is shown, and follows it where it grows.
func (b *branch) shows(e agent.Event) bool {
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
		return b.showsMessage(d.Message)
	case agent.BranchEvent:
		b.begins(e.RunID, d.LeafID)
	case agent.RunStart:
		if _, known := b.runs[e.RunID]; !known { // as older versions began runs that go on
			b.begins(e.RunID, b.seen)
		}
	case agent.StepStart:
		if b.runs[e.RunID] && len(b.followers) > 0 && b.seen == b.leaf {
			b.siblings[d.MessageID], b.draft = with(b.followers, d.MessageID), d.MessageID
			b.sendAhead()
		}
	}
	return b.runs[e.RunID]
}

// begins takes a run in that begins behind a message: it is shown where that is the end of what is shown.
func (b *branch) begins(runID, behind string) {
	end := b.seen
	if b.live || end == "" {
		end = b.leaf
	}
	b.runs[runID] = behind == end || b.seen == "" && b.on[behind]
	if b.runs[runID] {
		b.arrives(runID)
	}
}

// showsMessage reports whether a message is on the branch.
func (b *branch) showsMessage(m agent.Message) bool {
	if b.on[m.ID] {
		b.seen = m.ID
		return true
	}
	if b.live && m.ParentID == b.leaf && (m.Asks() || b.runs[m.RunID]) {
		b.on[m.ID], b.next[b.leaf], b.runs[m.RunID] = true, m.ID, true
		if len(b.followers) > 0 {
			b.siblings[m.ID] = with(b.followers, m.ID)
		}
		forked := b.ahead()
		b.leaf, b.seen, b.draft, b.followers = m.ID, m.ID, "", nil
		b.arrives(m.RunID)
		if forked {
			b.sendAhead()
		}
		return true
	}
	if m.Asks() {
		b.runs[m.RunID] = false
	}
	if !b.live {
		return false
	}
	if m.ParentID == b.leaf {
		b.followers = with(b.followers, m.ID)
		b.sendAhead()
	} else if shown := b.next[m.ParentID]; shown != "" {
		if len(b.siblings[shown]) == 0 {
			b.siblings[shown] = []string{shown}
		}
		b.siblings[shown] = with(b.siblings[shown], m.ID)
		b.sendVersions(shown)
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

// deleted tells the page where to go if what it shows was deleted, and counts what is left.
func (b *branch) deleted(d agent.MessageDeletedEvent) {
	if b == nil || !b.live {
		return
	}
	if b.on[d.MessageID] {
		nearest := b.without(d.MessageID)
		b.out = append(b.out, Fragment{Op: opBranch, Target: nearest, HTML: b.Text.T("versions.gone")})
		return
	}
	if slices.Contains(b.followers, d.MessageID) {
		b.followers = slices.DeleteFunc(slices.Clone(b.followers), func(id string) bool { return id == d.MessageID })
		b.sendAhead()
	}
	for id, all := range b.siblings {
		if slices.Contains(all, d.MessageID) {
			b.siblings[id] = slices.DeleteFunc(slices.Clone(all), func(id string) bool { return id == d.MessageID })
			b.sendVersions(id)
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

func (b *branch) sendVersions(id string) {
	b.replace("m-"+id+"-v", part.VersionsView(b.versions(id)))
}

// arrows are versions of a message before it is known how many there are, with what chooses another one.
func (b *branch) arrows(id, message string) part.Versions {
	v := part.Versions{ID: id, Message: message, CSRF: b.CSRF, Action: "/c/" + b.conv.ID + "/branch"}
	if !b.Owns {
		v.Link = "/c/" + b.conv.ID + "?branch="
	}
	return v
}

func (b *branch) versions(id string) part.Versions {
	if b == nil {
		return part.Versions{ID: "m-" + id + "-v", Message: id}
	}
	v := b.arrows("m-"+id+"-v", id)
	all := b.siblings[id]
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
