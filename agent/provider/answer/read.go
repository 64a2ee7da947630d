package answer

import (
	"errors"
	"fmt"
	"io"

	"fusebox/agent/provider/wire"
)

// Read takes a stream to its end. finished is called once the finish reason is
// there; from then on a broken end does no harm, as only the usage may be missing.
func (a *Accumulator) Read(s wire.Reader, finished func()) error {
	a.streamed = wire.Streams(s)
	for {
		c, err := s.Next()
		switch {
		case errors.Is(err, wire.ErrDone), err != nil && a.finish != "":
			return a.end()
		case errors.Is(err, io.EOF):
			return fmt.Errorf("neither a finish reason nor an end mark: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
		if err := a.add(c); err != nil {
			return err
		}
		if a.overran() {
			return a.cutOff()
		}
		if a.finish != "" {
			finished()
		}
	}
}
