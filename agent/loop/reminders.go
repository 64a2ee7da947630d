package loop

import (
	"slices"
	"strings"

	"fusebox/agent"
)

// reminders tell the model what the breakers see. Every request of a streak carries its
// reminder, with the current count.
type reminders struct {
	*rows
	word func(v agent.Verdict, tool string, in agent.Language) string
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
	return rs.word(v, tool, agent.LanguageOf(strings.Join(rs.transcript.asked(3), "\n")))
}

// due are the texts for the next request.
func (rs *reminders) due() []string {
	texts := slices.Clone(rs.run.State.Reminders)
	if rs.standing != "" {
		texts = append(texts, rs.standing)
	}
	return texts
}
