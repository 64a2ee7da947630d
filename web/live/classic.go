package live

import (
	"context"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/web/present"
	"fusebox/web/request"
)

// UseCompat makes the reader translate the log where a request has ?compat=1.
func (r *reader) UseCompat(c echo.Context) error {
	asked := c.QueryParam("compat")
	if err := request.OneOf("compat", asked, "0", "1"); err != nil {
		return err
	}
	if asked == "1" {
		r.classic = present.NewClassic()
	}
	return nil
}

// recall lets the translation see the step that the reader is in, so that it knows what
// the client has of it. It reads on from the last step's beginning.
func (r *reader) recall(ctx context.Context) error {
	if r.classic == nil || r.seq == 0 {
		return nil
	}
	at, err := r.s.Store.StepBefore(ctx, r.conv, r.seq+1)
	if err != nil {
		return err
	}
	for at <= r.seq {
		events, err := r.s.Store.Events(ctx, r.conv, at-1, replayPage)
		if err != nil || len(events) == 0 {
			return err
		}
		r.classic.Apply(upTo(events, r.seq))
		at = events[len(events)-1].Seq + 1
	}
	return nil
}

// upTo are the events up to a number.
func upTo(events []agent.Event, last int64) []agent.Event {
	n := len(events)
	for n > 0 && events[n-1].Seq > last {
		n--
	}
	return events[:n]
}
