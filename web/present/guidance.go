package present

import (
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// guidance shows what a person typed on a card, unless the card or its call does.
func (p *Presenter) guidance(e agent.Event, m agent.Message) {
	if !m.Guides() || p.cardShows(m) {
		return
	}
	said := part.UserMessage{ID: "m-" + m.ID, By: m.SaidBy, Text: m.Content, At: m.CreatedAt}
	p.add(item{id: said.ID, seq: e.Seq, message: true, View: func() templ.Component { return part.Said(said) }})
}

// cardShows reports whether a card of the run shows a person's words.
func (p *Presenter) cardShows(m agent.Message) bool {
	for _, a := range p.cards {
		if a.RunID != m.RunID {
			continue
		}
		if a.DecidedBy == m.SaidBy && strings.TrimSpace(a.Comment) == m.Content {
			return true
		}
		for _, v := range a.Votes {
			if v.By == m.SaidBy && strings.TrimSpace(v.Comment) == m.Content {
				return true
			}
		}
	}
	return false
}
