package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
)

// emailBody is the text of an e-mail: a sentence, facts below it, and a link.
type emailBody struct {
	Subject, Lead string
	Facts         []fact
	Link, Button  string
	Footer        string
	Settings      string
}

type fact struct{ Name, Text string }

// compose writes the e-mail of a notification. It tells what the payload tells
// and nothing else; its link leads to a page and decides nothing.
func compose(p agent.NotifyPayload, base string, now time.Time) emailBody {
	l := emailBody{
		Link: base + p.Path, Button: "Review and decide", Settings: base + "/settings",
		Footer: "Opening the link does not decide anything. You can turn these e-mails off in your settings:",
	}
	if l.alerted(p) {
		return l.tagged()
	}
	what := oneLine(whatOf(p))
	risk := ""
	if p.Risk != "" {
		risk = fmt.Sprintf(" (%s risk)", p.Risk)
	}
	switch p.Event {
	case agent.NotifyTest:
		l.Subject, l.Lead, l.Button = "Test notification", oneLine(p.Message), "Open the notifications page"
		return l.tagged()
	case agent.NotifyReminder:
		l.Subject, l.Lead = "Reminder: "+what+" is still waiting for a decision"+risk, "Most of the time to decide has passed."
	case agent.NotifyEscalated:
		l.Subject, l.Lead = what+" was escalated to you"+risk, "No one has decided yet, and the time is almost up."
	case agent.NotifyExpired:
		l.Subject, l.Lead, l.Button = what+" was not decided in time"+risk, expiredLead(p), "View it"
	case agent.NotifyDecided:
		l.Subject, l.Lead, l.Button = what+" was decided"+risk, fmt.Sprintf("Decision: %s, by %s.", p.Decision, oneLine(p.DecidedBy)), "View it"
	default:
		l.Subject, l.Lead = what+" needs a decision"+risk, "A run is paused until someone decides."
	}
	l.Facts = facts(p, now)
	return l.tagged()
}

func (l emailBody) tagged() emailBody {
	l.Subject = "[Fusebox] " + l.Subject
	return l
}

// expiredLead says what becomes of the run of an expired approval.
func expiredLead(p agent.NotifyPayload) string {
	if p.Decision != "" {
		return fmt.Sprintf("No one decided in time, so it was decided automatically: %s.", p.Decision)
	}
	return "No one decided in time. The run stays paused, and the approval can be asked for again."
}

// whatOf names what waits.
func whatOf(p agent.NotifyPayload) string {
	switch p.Kind {
	case agent.KindLoop:
		return "A tripped loop breaker"
	case agent.KindBudget:
		return "A used-up budget"
	case agent.KindQuestion:
		return "A question from the agent"
	case agent.KindOutcome:
		return "The unknown outcome of " + p.ToolName
	default:
		return p.ToolName
	}
}

// facts answer what, who, why and how long.
func facts(p agent.NotifyPayload, now time.Time) []fact {
	all := []fact{{"What", whatOf(p)}, {"Risk", string(p.Risk)}, {"Who", p.Owner}, {"Conversation", p.ConversationTitle}, {"Why", p.Message}}
	if p.Decision == "" && p.Event != agent.NotifyExpired && p.ExpiresAt.After(now) {
		all = append(all, fact{"Time left", fmt.Sprintf("%s, until %s", left(p.ExpiresAt.Sub(now)), exact(p.ExpiresAt))})
	}
	return filled(all)
}

// filled leaves out facts that say nothing.
func filled(all []fact) []fact {
	kept := all[:0]
	for _, f := range all {
		if f.Text = oneLine(f.Text); f.Text != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// left writes a span in its two largest units.
func left(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	days, hours := minutes/(24*60), minutes/60%24
	switch {
	case days > 0:
		return fmt.Sprintf("%d d %d h", days, hours)
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	default:
		return fmt.Sprintf("%d min", max(minutes, 1))
	}
}

// oneLine takes control characters and line breaks out of a text, so that no
// text becomes a line, or a header, of its own.
func oneLine(text string) string {
	return secrets(nil).clean(text)
}

// text is the e-mail without markup.
func (l emailBody) text() string {
	var b strings.Builder
	b.WriteString(l.Lead + "\n\n")
	for _, f := range l.Facts {
		b.WriteString(f.Name + ": " + f.Text + "\n")
	}
	fmt.Fprintf(&b, "\n%s:\n%s\n\n-- \n%s\n%s\n", l.Button, l.Link, l.Footer, l.Settings)
	return b.String()
}

// html is the same e-mail as a page.
func (l emailBody) html() (string, error) {
	var b strings.Builder
	err := page(l).Render(context.Background(), &b)
	return b.String(), err
}
