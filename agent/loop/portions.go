package loop

import "fusebox/agent"

// portions puts the deltas of one answer into the portions of its output mode.
// Everything that is neither text nor reasoning lets go of what is held, so
// that the order stays; waits between tries do not.
type portions struct {
	text, reasoning portion
	show            func(agent.Delta) error
}

func newPortions(m agent.OutputMode, show func(agent.Delta) error) *portions {
	return &portions{text: portion{mode: m}, reasoning: portion{mode: m}, show: show}
}

func (p *portions) push(d agent.Delta) error {
	switch d.Kind {
	case agent.DeltaText:
		if err := p.flushReasoning(); err != nil {
			return err
		}
		d.Text = p.text.push(d.Text)
	case agent.DeltaReasoning:
		d.Text = p.reasoning.push(d.Text)
	case agent.DeltaReset:
		p.text, p.reasoning = portion{mode: p.text.mode}, portion{mode: p.text.mode}
		return p.show(d)
	case agent.DeltaCallStart, agent.DeltaCallArgs:
		if err := p.close(); err != nil {
			return err
		}
		return p.show(d)
	default:
		return p.show(d)
	}
	if d.Text == "" {
		return nil
	}
	return p.show(d)
}

func (p *portions) flushReasoning() error {
	if text := p.reasoning.flush(); text != "" {
		return p.show(agent.Delta{Kind: agent.DeltaReasoning, Text: text})
	}
	return nil
}

// close lets go of everything that is held.
func (p *portions) close() error {
	if err := p.flushReasoning(); err != nil {
		return err
	}
	if text := p.text.flush(); text != "" {
		return p.show(agent.Delta{Kind: agent.DeltaText, Text: text})
	}
	return nil
}
