package store_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
)

// TestRightsAreTakenAwayAtOnce: however often a right is given and taken away while others read, what
// begins after it was taken away has nothing of the document, by any door.
func TestRightsAreTakenAwayAtOnce(t *testing.T) {
	t.Parallel()
	h := newShelves(t)
	h.share("house", agent.VisibleEverybody, agent.RightWrite)
	h.keep("ana", "house", "boiler", "The boiler is emptied in May.\n")
	found, err := h.s.FindPassages(t.Context(), agent.Search{UserID: "ben", In: agent.Everything(), Query: "boiler", Limit: 1})
	check(t, err)
	passage := found[0].PassageID
	doors := map[string]func(context.Context) (open bool, err error){
		"search": func(ctx context.Context) (bool, error) {
			found, err := h.s.FindPassages(ctx, agent.Search{UserID: "ben", In: agent.Everything(), Query: "boiler", Limit: 1})
			return len(found) > 0, err
		},
		"search in it": func(ctx context.Context) (bool, error) {
			found, err := h.s.FindPassages(ctx, agent.Search{UserID: "ben", In: agent.CollectionChoice{"house"}, Query: "boiler", Limit: 1})
			return len(found) > 0, err
		},
		"list": func(ctx context.Context) (bool, error) {
			all, _, err := h.s.Documents(ctx, agent.DocumentFilter{UserID: "ben", In: agent.Everything()}, agent.Page{})
			return len(all) > 0, err
		},
		"passage": func(ctx context.Context) (bool, error) {
			_, err := h.s.Passage(ctx, "ben", passage)
			return err == nil, err
		},
		"text": func(ctx context.Context) (bool, error) {
			_, _, err := h.s.DocumentText(ctx, "ben", "boiler", 0)
			return err == nil, err
		},
		"rename": func(ctx context.Context) (bool, error) {
			err := h.s.RenameDocument(ctx, "ben", "boiler", "boiler.txt")
			return err == nil, err
		},
	}
	// closed numbers the time since the right was taken away; 0 as long as it is given.
	var closed atomic.Int64
	looked, ended := map[string]chan int64{}, make(chan error, len(doors))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	for name, door := range doors {
		seen := make(chan int64)
		looked[name] = seen
		go func() {
			for {
				began := closed.Load()
				open, err := door(ctx)
				switch still := closed.Load(); {
				case ctx.Err() != nil:
					ended <- nil
					return
				case err != nil && agent.CodeOf(err) != agent.NotFound:
					ended <- err
					return
				case open && began > 0 && began == still:
					ended <- errors.New(name + ": what is closed is open")
					return
				}
				select {
				case seen <- began:
				case <-ctx.Done():
				}
			}
		}()
	}
	for round := range int64(20) {
		h.share("house", agent.VisiblePrivate, agent.RightWrite)
		closed.Store(round + 1)
		for _, seen := range looked {
			for n := int64(0); n != round+1; {
				select {
				case n = <-seen:
				case err := <-ended:
					t.Fatal(err)
				}
			}
		}
		closed.Store(0)
		h.share("house", agent.VisibleEverybody, agent.RightWrite)
	}
	end()
	for range doors {
		if err := agenttest.Receive(t, "the end of a reader", ended); err != nil {
			t.Error(err)
		}
	}
}
