package live

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/address"
	"fusebox/web/present"
	"fusebox/web/request"
)

// htmlBatch is one message of a socket that feeds a page.
type htmlBatch struct {
	Seq       int64              `json:"seq"`
	Leaf      string             `json:"leaf"`
	Fragments []present.Fragment `json:"fragments"`
}

// linked is the batch with its links as a site's address has them.
func (b htmlBatch) linked(site address.Site) htmlBatch {
	b.Fragments = slices.Clone(b.Fragments)
	for i, f := range b.Fragments {
		b.Fragments[i].HTML = string(site.HTML([]byte(f.HTML)))
	}
	return b
}

// Serve streams a conversation's log from ?after= on: events as
// they are, one message each, with ?compat=1 translated for clients that know only the
// classic types, or with ?format=html the changes of its page.
func (s *Conversation) Serve(c echo.Context) error {
	v := request.Viewer(c)
	conv, err := s.Store.Conversation(c.Request().Context(), v, c.Param("id"))
	if err != nil {
		return err
	}
	after, err := AfterOf(c)
	if err != nil {
		return err
	}
	var fold *present.Presenter
	if c.QueryParam("format") == "html" {
		if fold, err = s.pageAt(c, *conv, after); err != nil {
			return err
		}
	}
	r := s.Log.Reader(conv.ID, after, s.Visibility.TokensOnly(v))
	if fold == nil {
		err = r.UseCompat(c)
	}
	if err != nil {
		return err
	}
	return s.Sockets.feed(c, func(ctx context.Context, send sender) error {
		if fold != nil {
			if lost := fold.Branch.Lost(); len(lost) > 0 {
				if err := send(htmlBatch{Fragments: lost}); err != nil {
					return err
				}
			}
			s.followPlace(ctx, r, fold, send)
		}
		return r.Follow(ctx, true, func(events []agent.Event) error { return emit(send, fold, events) })
	})
}

// emit passes events on in the form the socket asked for.
func emit(send sender, fold *present.Presenter, events []agent.Event) error {
	if fold != nil {
		batch := htmlBatch{Seq: events[len(events)-1].Seq, Fragments: []present.Fragment{}}
		for _, e := range events {
			batch.Fragments = append(batch.Fragments, fold.Apply(e)...)
		}
		batch.Leaf = fold.Branch.Leaf()
		return send(batch)
	}
	messages := make([]any, len(events))
	for i := range events {
		messages[i] = &events[i]
	}
	return send(messages...)
}

// pageAt is the state of a page that has shown a branch up to after, as far as it can still change:
// from its run on that went on then. The branch ends with the message ?leaf=; without it, it is the one that is
// chosen. A page whose branch was deleted meanwhile is told to show the nearest one.
func (s *Conversation) pageAt(c echo.Context, conv agent.Conversation, after int64) (*present.Presenter, error) {
	ctx := c.Request().Context()
	fold := s.Presenters.New(ctx, request.Viewer(c), conv)
	path, err := s.pathOf(c, conv.ID)
	if agent.CodeOf(err) == agent.NotFound {
		fold.Lose()
		return fold, nil
	}
	if err != nil {
		return nil, err
	}
	if after == 0 {
		fold.Show(path)
		return fold, nil
	}
	shown, err := s.shown(ctx, conv.ID, path, after)
	if err != nil {
		return nil, err
	}
	fold.Show(path)
	fold.Replay(shown, after)
	return fold, s.Presenters.Away(ctx, fold, conv.ID)
}

// shown is what a page has been made of, up to after, and has the path be what it was then. The run whose
// message follows the leaf goes on here, unless the message had been said by then: then it is another version.
func (s *Conversation) shown(ctx context.Context, id string, path agent.Path, after int64) (agent.Transcript, error) {
	part := agent.LogPart{Before: after + 1, ToEnd: true, Runs: path.Runs}
	if path.Follows != "" && !slices.Contains(path.Runs, path.Follows) {
		part.Runs = append(slices.Clone(path.Runs), path.Follows)
		all, err := s.Store.Transcript(ctx, id, part)
		if err != nil || !slices.ContainsFunc(all.Events, func(e agent.Event) bool { return e.Seq <= after && follows(e, path.Leaf) && e.RunID == path.Follows }) {
			mend(path, all.Events, after)
			return all, err
		}
		part.Runs = path.Runs
	}
	shown, err := s.Store.Transcript(ctx, id, part)
	mend(path, shown.Events, after)
	return shown, err
}

// mend takes the run of the leaf for one that goes on here where it has said more only since the page was made.
func mend(path agent.Path, events []agent.Event, after int64) {
	for _, e := range events {
		if e.Seq > after && follows(e, path.Leaf) {
			delete(path.Cut, e.RunID)
		}
	}
}

func follows(e agent.Event, leaf string) bool {
	m, ok := e.Data.(agent.MessageEvent)
	return ok && m.Message.ParentID == leaf
}

// pathOf is the branch that a page shows.
func (s *Conversation) pathOf(c echo.Context, id string) (agent.Path, error) {
	if leaf, named := c.QueryParams()["leaf"]; named {
		return s.Store.PathTo(c.Request().Context(), id, leaf[0])
	}
	return s.Store.Path(c.Request().Context(), id, "")
}

// AfterOf reads ?after=, 0 where it is missing.
func AfterOf(c echo.Context) (int64, error) {
	text := c.QueryParam("after")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, agent.InvalidField("after", "%q is no sequence number; pass the seq of the last event you have, or 0", text)
	}
	return n, nil
}

// Conversation serves the live log of a conversation.
type Conversation struct {
	Store      service.Store
	Presenters *Presenters
	Sockets    *Sockets
	Visibility *request.Visibility
	Log        *EventLog
}

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
