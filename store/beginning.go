package store

import (
	"cmp"
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// beginning is what a run that is about to be stored begins with: its snapshot but
// for the run and its message. seq is where the conversation's log ended.
type beginning struct {
	snap *agent.Snapshot
	seq  int64
}

// readBeginning reads the beginning of a run while its message is being stored, so
// that the run need not wait for it. The function returned waits for it; nil where
// it could not be read, or is not needed.
func (s *Runs) readBeginning(ctx context.Context, p agent.NewMessage) (wait func() *beginning) {
	if p.Claim == nil {
		return func() *beginning { return nil }
	}
	found := make(chan *beginning, 1)
	ctx = context.WithoutCancel(ctx) // a run does not end with the request that starts it
	go func() {
		b := &beginning{}
		err := s.db.View(ctx, func(from sqlite.Reader) error {
			var err error
			b.snap, err = s.beginningOf(ctx, from, p)
			return err
		})
		if err != nil {
			found <- nil // what is wrong is told where the message is stored
			return
		}
		b.seq = b.snap.Conversation.LastSeq
		found <- b
	}()
	return func() *beginning { return <-found }
}

func (s *Runs) beginningOf(ctx context.Context, from sqlite.Reader, p agent.NewMessage) (*agent.Snapshot, error) {
	snap := &agent.Snapshot{Run: agent.Run{ID: p.RunID, ConversationID: p.ConversationID}}
	if err := readConversation(ctx, from, snap); err != nil {
		return nil, err
	}
	var err error
	if parent := cmp.Or(p.ParentID, snap.Conversation.LeafID); parent != "" {
		if snap.Branch, err = s.branch(ctx, from, p.ConversationID, parent); err != nil {
			return nil, err
		}
		if snap.Compactions, err = compactions(ctx, from, p.ConversationID); err != nil {
			return nil, err
		}
	}
	return snap, readProtection(ctx, from, snap, s.clock.Now())
}

// with is the snapshot of the run that was stored; nil where anything else happened in
// the conversation between the reading and the storing, whichever came first.
func (b *beginning) with(stored *started) *agent.Snapshot {
	if b == nil || b.seq != stored.before && b.seq != stored.after {
		return nil
	}
	c := &b.snap.Conversation
	c.Title, c.LeafID = cmp.Or(c.Title, stored.title), stored.message.ID
	c.UpdatedAt, c.LastSeq, c.ActiveStatus = stored.message.CreatedAt, stored.after, stored.run.Status
	b.snap.Run = stored.run
	if n := len(b.snap.Branch); n == 0 || b.snap.Branch[n-1].ID != stored.message.ID {
		b.snap.Branch = append(b.snap.Branch, stored.message)
	}
	return b.snap
}

// started is a run that starts with the commit of its message. before is where the
// conversation's log ended before that, after where it ends now; title is that of a
// conversation that had none.
type started struct {
	run           agent.Run
	message       agent.Message
	title         string
	before, after int64
}
