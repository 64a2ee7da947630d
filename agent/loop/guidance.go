package loop

import (
	"slices"
	"strings"

	"fusebox/agent"
)

// hear keeps what people typed on a card for the model.
func hear(r *agent.Run, a agent.Approval) {
	hearOthers(r, a)
	hearFrom(r, a.DecidedBy, a.Comment)
}

// hearOthers is hear without the deciding person, whose words the call's result has.
func hearOthers(r *agent.Run, a agent.Approval) {
	hearFrom(r, a.Author, a.AuthorNote)
	for _, v := range a.Votes {
		if v.By != a.DecidedBy {
			hearFrom(r, v.By, v.Comment)
		}
	}
}

// hearFrom keeps a person's words. What they said of several cards at once is one thing to say.
func hearFrom(r *agent.Run, by, text string) {
	g := agent.Guidance{By: by, Text: strings.TrimSpace(text)}
	if g.Text != "" && by != agent.System && !slices.Contains(r.State.Guidance, g) {
		r.State.Guidance = append(r.State.Guidance, g)
	}
}

// guidance puts what people typed on cards into the history, for good. behind are the
// messages that the same change adds before.
func (r *rows) guidance(run *agent.Run, behind []agent.Message) (e agent.Change) {
	parent := r.newestBehind(behind)
	for _, g := range run.State.Guidance {
		m := r.message(r.newID(), agent.FromUser, parent, g.Text)
		m.ToolCallID, m.SaidBy = g.ToolCallID, g.By
		parent = m.ID
		say(&e, m)
	}
	run.State.Guidance = nil
	return e
}

// newestBehind is the id of the branch's last message once those of a change are in it.
func (r *rows) newestBehind(added []agent.Message) string {
	if n := len(added); n > 0 {
		return added[n-1].ID
	}
	return r.transcript.last().ID
}

// worded returns messages with what people typed on cards as the model reads it. It leaves
// the messages that it was given alone.
func (t *transcript) worded(messages []agent.Message) []agent.Message {
	said := func(m agent.Message) bool { return m.SaidBy != "" && !m.Steered }
	first := slices.IndexFunc(messages, said)
	if first < 0 {
		return messages
	}
	out := slices.Clone(messages)
	for i := range out[first:] {
		if m := &out[first+i]; said(*m) {
			m.Content, m.ToolCallID = t.wordOf(*m), ""
		}
	}
	return out
}

func (t *transcript) wordOf(m agent.Message) string {
	if m.ToolCallID != "" {
		return "[System reminder] A person changed the arguments of " + t.nameOf(m.ToolCallID) + " before it ran. It was executed with " + m.Content
	}
	if m.ChangesPlan() {
		return "[System reminder] " + m.Content
	}
	return "[System reminder] A person who looked at this run says: " + m.Content
}

// reminders tell the model what the breakers see. Every request of a streak carries its
// reminder, with the current count.
type reminders struct {
	*rows
	// places are the indexes of this answer's reminders in the run's list, by streak.
	places map[streak]int
	// standing is what the run's own streaks add to the next request. It is recomputed
	// before each one and never stored.
	standing string
}

// streak names the calls that a detector sees as one.
type streak struct{ detector, key string }

// remind puts a text into the next model request.
func remind(r *agent.Run, text string) {
	r.State.Reminders = append(r.State.Reminders, text)
}

// begin starts with the calls of another answer.
func (rs *reminders) begin() { rs.places = map[streak]int{} }

// about adds the reminder of a streak that a call extends. If several calls of one answer
// extend the same streak, the last count wins.
func (rs *reminders) about(r *agent.Run, v agent.Verdict, tool string) {
	text, s := rs.text(v, tool), streak{v.Detector, v.Key}
	if i, told := rs.places[s]; told {
		r.State.Reminders[i] = text
		return
	}
	rs.places[s] = len(r.State.Reminders)
	remind(r, text)
}

// resumed adds the reminder of a streak that a person allowed to continue.
func (rs *reminders) resumed(r *agent.Run, a agent.Approval) {
	ev, err := a.LoopEvidence()
	if err != nil || a.ToolCallID == "" {
		return // stand handles the run's own streaks
	}
	remind(r, rs.text(agent.Verdict{Detector: ev.Detector, Count: ev.Count, Message: a.Message}, a.ToolName))
}

// stand sets the reminder about a streak of the run itself; Pass clears it.
func (rs *reminders) stand(v agent.Verdict) {
	rs.standing = ""
	if v.Level == agent.Pass {
		return
	}
	if text := rs.text(v, ""); !slices.Contains(rs.run.State.Reminders, text) {
		rs.standing = text
	}
}

// text words a verdict in the language in which the conversation's person writes.
func (rs *reminders) text(v agent.Verdict, tool string) string {
	return rs.loop.Reminder(v, tool, agent.LanguageOf(strings.Join(rs.transcript.asked(3), "\n")))
}

// due are the texts for the next request.
func (rs *reminders) due() []string {
	texts := slices.Clone(rs.run.State.Reminders)
	if rs.standing != "" {
		texts = append(texts, rs.standing)
	}
	return texts
}
