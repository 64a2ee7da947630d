package present

import (
	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// queueID is the element of what waits in the conversation.
const queueID = "queue"

func (p *Presenter) foldQueue(q agent.QueueEvent) {
	was := len(p.Waits.Items)
	p.Waits = agent.Queue(q)
	if !p.live || p.below {
		return
	}
	p.replace(queueID, p.Queue())
	if len(q.Items) > 0 || was > 0 {
		p.say(queueSays(p.Text, p.Waits))
	}
}

// Queue is what waits in the conversation.
func (p *Presenter) Queue() templ.Component {
	q := part.Queue{CSRF: p.CSRF, Held: p.Waits.Held, Says: queueSays(p.Text, p.Waits)}
	if p.Owns {
		q.Action = "/c/" + p.conv.ID + "/queue"
	}
	for _, it := range p.Waits.Items {
		m := part.QueuedMessage{ID: it.ID, Text: it.Content, Cut: it.Cut}
		if it.SteersRunID != "" {
			m.When = goesIn(p.Text, it.GoesIn)
		}
		q.Items = append(q.Items, m)
	}
	return part.QueueView(q)
}

func queueSays(tr *text.Printer, q agent.Queue) string {
	waits := tr.T("present.queue.waits", len(q.Items))
	if q.Held {
		return tr.T("present.queue.held", waits)
	}
	return waits
}

func goesIn(tr *text.Printer, at agent.GoesIn) string {
	switch at {
	case agent.AfterDecision:
		return tr.T("present.queue.after_decision")
	case agent.AfterAgents:
		return tr.T("present.queue.after_agents")
	default:
		return tr.T("present.queue.after_step")
	}
}
