package live

import (
	"context"
	"time"

	"fusebox/web/present"
)

// placeEvery is how often a page learns that its run has moved up in the queue.
const placeEvery = time.Second

// followPlace keeps a page up to date about the place of its run. No event of its
// conversation tells that another one has moved on, so the reader looks while the
// run is queued, and only then.
func (s *Conversation) followPlace(ctx context.Context, r *reader, fold *present.Presenter, send sender) {
	r.due = func() <-chan time.Time {
		if fold.Queued() == "" {
			return nil
		}
		return s.Sockets.Streams.Clock.After(placeEvery)
	}
	r.look = func() error {
		place, err := s.Store.QueuePlace(ctx, fold.Queued())
		if err != nil {
			return err
		}
		if changed := fold.SetPlace(place); len(changed) > 0 {
			return send(htmlBatch{Seq: fold.Seq, Leaf: fold.Branch.Leaf(), Fragments: changed})
		}
		return nil
	}
}
