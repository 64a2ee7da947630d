package answer

import "fusebox/agent"

// addContent adds text, without the reasoning in it; more is false
// at its end.
func (a *Accumulator) addContent(text string, more bool) error {
	for _, t := range a.thinker.feed(text, more) {
		if t.all && !a.announced {
			if err := a.wasThought(); err != nil {
				return err
			}
		}
		var err error
		if t.reasoning {
			err = a.addThought(t.text)
		} else {
			err = a.addText(a.markup.feed(t.text))
		}
		if err != nil {
			return err
		}
	}
	if more {
		return nil
	}
	return a.addText(a.markup.flush())
}

func (a *Accumulator) addText(text string) error {
	a.content.WriteString(text)
	return a.sendText(agent.DeltaText, text)
}

func (a *Accumulator) addThought(text string) error {
	a.reasoning.WriteString(text)
	return a.sendText(agent.DeltaReasoning, text)
}

func (a *Accumulator) sendText(kind agent.DeltaKind, text string) error {
	if text == "" {
		return nil
	}
	return a.Send(agent.Delta{Kind: kind, Text: text})
}

// wasThought makes reasoning of the text so far.
func (a *Accumulator) wasThought() error {
	thought := a.reasoning.String() + a.content.String() + a.markup.drain()
	a.markup = markup{}
	a.reasoning.Reset()
	a.content.Reset()
	a.reasoning.WriteString(thought)
	if err := a.Send(agent.Delta{Kind: agent.DeltaReset}); err != nil {
		return err
	}
	return a.sendText(agent.DeltaReasoning, thought)
}
