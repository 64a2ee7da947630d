package answer

import (
	"time"

	"fusebox/agent"
)

// An answer that came in one piece is typed out in at most typedPieces pieces,
// one a frame, so that it takes a second at most.
const (
	typedPieces = 50
	typedFrame  = 16 * time.Millisecond
)

// typeOut shows a text piece by piece.
func (o *Output) typeOut(d agent.Delta) error {
	runes := []rune(d.Text)
	size := max(1, (len(runes)+typedPieces-1)/typedPieces)
	for i := 0; i < len(runes); i += size {
		if i > 0 {
			if err := o.wait(typedFrame); err != nil {
				return err
			}
		}
		d.Text = string(runes[i:min(i+size, len(runes))])
		if err := o.sink(d); err != nil {
			return err
		}
	}
	return nil
}
