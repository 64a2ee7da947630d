package answer

import (
	"strings"

	"fusebox/agent"
)

// Buffered is an output for another answer that may take this one's place.
func (a *Accumulator) Buffered() *Output { return a.out.buffered() }

// GiveWayTo puts another answer, which was buffered, in the place of the one that
// was shown. Where the new text begins with the shown one, only the rest is sent.
func (a *Accumulator) GiveWayTo(next *Accumulator) error {
	stands := len(a.content.String())
	if !a.textOnly() || !strings.HasPrefix(next.content.String(), a.content.String()) {
		stands = 0
		if err := sunk(a.out.Reset()); err != nil {
			return err
		}
	}
	for _, d := range next.out.buffer {
		if d.Kind == agent.DeltaText && stands > 0 {
			skip := min(stands, len(d.Text))
			stands -= skip
			if d.Text = d.Text[skip:]; d.Text == "" {
				continue
			}
		}
		if err := a.Send(d); err != nil {
			return err
		}
	}
	return nil
}

// textOnly reports whether nothing but text was shown.
func (a *Accumulator) textOnly() bool { return !a.announced && a.reasoning.Len() == 0 }
