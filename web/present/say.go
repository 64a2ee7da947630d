package present

import (
	"fusebox/agent"
	"fusebox/views/text"
)

// liveID is the region of the page that screen readers read out.
const liveID = "live"

// announce tells those who do not see the page what has changed on it, apart from the
// answer's text, which the page's script reads out by itself.
func (p *Presenter) announce(e agent.Event) {
	if !p.live {
		return
	}
	switch d := e.Data.(type) {
	case agent.ApprovalRequestedEvent:
		a := p.cards[d.ApprovalID]
		if a != nil && a.Status == agent.ApprovalPending && !p.Viewer.Role.Reviews() { // the inbox tells reviewers
			p.say(p.Text.T("present.say.card", WithRisk(p.Text, CardHead(p.Text, *a), *a)))
		}
	case agent.ApprovalDecidedEvent:
		if a := p.cards[d.ApprovalID]; a != nil {
			s := settledOf(p.Text, *a)
			p.say(p.Text.T("present.say.decided", s.Verb, CardHead(p.Text, *a)))
		}
	case agent.GuardEvent:
		if d.Level != agent.Pause.String() { // its card is told
			line := guardLine(p.Text, "", d)
			p.say(line.Head)
			p.say(line.Text)
		}
	case agent.ErrorEvent:
		p.say(p.Text.Recorded(d.Message))
	case agent.Finish:
		p.say(EndHead(p.Text, d.StopReason))
	default:
	}
}

// WithRisk adds the risk to the words for what is asked.
func WithRisk(tr *text.Printer, what string, a agent.Approval) string {
	risk := InboxRisk(tr, a)
	if risk == "" {
		return what
	}
	return tr.T("present.say.risk", what, risk)
}

func (p *Presenter) say(text string) {
	if text != "" {
		p.out = append(p.out, Fragment{Op: opSay, Target: liveID, HTML: text})
	}
}
