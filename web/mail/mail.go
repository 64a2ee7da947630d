package mail

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/notify"
	"fusebox/views/mail"
	"fusebox/views/text"
)

// Write writes the e-mail of a notification. It tells what the payload tells and
// nothing else; its link leads to a page of the server at base and decides nothing.
// lang is the tag of the reader's language, "" for English.
func Write(p agent.NotifyPayload, base, lang string, now time.Time) (notify.Letter, error) {
	w := writer{text.For(lang), p, now}
	subject, l := w.compose()
	l.Language, l.Link, l.Settings, l.Footer = w.tr.Language(), base+p.Path, base+"/settings/notifications", w.tr.T("mail.footer")
	var page strings.Builder
	if err := mail.Page(l).Render(context.Background(), &page); err != nil {
		return notify.Letter{}, err
	}
	return notify.Letter{Subject: "[Fusebox] " + subject, Text: plain(l), HTML: page.String()}, nil
}

type writer struct {
	tr  *text.Printer
	p   agent.NotifyPayload
	now time.Time
}

func (w writer) compose() (subject string, l mail.Letter) {
	if subject, l, ok := w.alert(); ok {
		return subject, l
	}
	l.Button, l.Facts = w.tr.T("mail.view"), w.facts()
	what := w.subject()
	switch w.p.Event {
	case agent.NotifyTest:
		return w.tr.T("mail.test"), mail.Letter{Lead: w.tr.Recorded(notify.OneLine(w.p.Message)), Button: w.tr.T("mail.open_notifications")}
	case agent.NotifyExpired:
		l.Lead = w.expired()
		return w.tr.T("mail.expired", what), l
	case agent.NotifyDecided:
		l.Lead = w.tr.T("mail.decided_by", w.decision(), notify.OneLine(w.p.DecidedBy))
		return w.tr.T("mail.decided", what), l
	case agent.NotifyReminder:
		subject, l.Lead = w.tr.T("mail.reminder", what), w.tr.T("mail.reminder_lead")
	case agent.NotifyEscalated:
		subject, l.Lead = w.tr.T("mail.escalated", what), w.tr.T("mail.escalated_lead")
	default:
		subject, l.Lead = w.tr.T("mail.requested", what), w.tr.T("mail.requested_lead")
	}
	l.Button = w.tr.T("mail.decide")
	return subject, l
}

// expired says what becomes of the run of an expired approval.
func (w writer) expired() string {
	if w.p.Decision != "" {
		return w.tr.T("mail.expired_decided", w.decision())
	}
	return w.tr.T("mail.expired_lead")
}

func (w writer) subject() string {
	what := notify.OneLine(w.what())
	if w.p.Risk == "" {
		return what
	}
	return w.tr.T("mail.with_risk", what, w.risk())
}

func (w writer) what() string {
	switch w.p.Kind {
	case agent.KindLoop:
		return w.tr.T("mail.what.loop")
	case agent.KindBudget:
		return w.tr.T("mail.what.budget")
	case agent.KindQuestion:
		return w.tr.T("mail.what.question")
	case agent.KindOutcome:
		return w.tr.T("mail.what.outcome", w.p.ToolName)
	default:
		return w.p.ToolName
	}
}

// facts answer what, who, why and how long.
func (w writer) facts() []mail.Fact {
	p := w.p
	all := []mail.Fact{
		{Name: w.tr.T("mail.fact.what"), Text: w.what()}, {Name: w.tr.T("mail.fact.risk"), Text: w.risk()},
		{Name: w.tr.T("mail.fact.who"), Text: p.Owner}, {Name: w.tr.T("mail.fact.conversation"), Text: p.ConversationTitle},
		{Name: w.tr.T("mail.fact.why"), Text: w.tr.Recorded(p.Message)},
	}
	if p.Decision == "" && p.Event != agent.NotifyExpired && p.ExpiresAt.After(w.now) {
		all = append(all, mail.Fact{Name: w.tr.T("mail.fact.time_left"), Text: w.tr.T("mail.until", w.left(p.ExpiresAt.Sub(w.now)), w.exact(p.ExpiresAt))})
	}
	return filled(all)
}

// filled leaves out facts that say nothing.
func filled(all []mail.Fact) []mail.Fact {
	kept := all[:0]
	for _, f := range all {
		if f.Text = notify.OneLine(f.Text); f.Text != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// risk is the risk in words, "" for none.
func (w writer) risk() string { return w.tr.Recorded(string(w.p.Risk)) }

func (w writer) decision() string { return w.tr.Recorded(string(w.p.Decision)) }

// left writes a span in its two largest units.
func (w writer) left(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	days, hours := minutes/(24*60), minutes/60%24
	switch {
	case days > 0:
		return w.tr.T("mail.days", days, hours)
	case hours > 0:
		return w.tr.T("mail.hours", hours, minutes%60)
	default:
		return w.tr.T("mail.minutes", max(minutes, 1))
	}
}

func (w writer) exact(at time.Time) string {
	return w.tr.T("mail.utc", at.UTC().Format(w.tr.T("date.moment")))
}

func plain(l mail.Letter) string {
	var b strings.Builder
	b.WriteString(l.Lead + "\n\n")
	for _, f := range l.Facts {
		b.WriteString(f.Name + ": " + f.Text + "\n")
	}
	fmt.Fprintf(&b, "\n%s:\n%s\n\n-- \n%s\n%s\n", l.Button, l.Link, l.Footer, l.Settings)
	return b.String()
}
