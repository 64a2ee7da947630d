package service

import (
	"context"
	"errors"
	"log/slog"

	"fusebox/agent"
)

// Files are what the tools of conversations have left on the disk.
type Files interface {
	// RemoveFiles is no error where there are none.
	RemoveFiles(conversationID string) error
	// Owners calls each with the ids of conversations that have files, in batches.
	Owners(each func(conversationIDs []string) error) error
}

// Leftovers removes the files of deleted conversations.
type Leftovers struct {
	Store LeftoverStore
	Files Files
	Clock agent.Clock
	Log   *slog.Logger
}

// maxRetried is how many conversations are looked at in one round of retries.
const maxRetried = 1000

// Remove removes the files of a deleted conversation, or notes why it could not: they
// are tried again.
func (s *Leftovers) Remove(ctx context.Context, conversationID string) error {
	problem := s.Files.RemoveFiles(conversationID)
	if problem == nil {
		return nil
	}
	s.Log.Warn("files of a deleted conversation could not be removed", "conversation_id", conversationID, "error", problem)
	return s.Store.NoteLeftover(ctx, conversationID, s.Clock.Now(), problem)
}

// Retry tries once more to remove what could not be removed.
func (s *Leftovers) Retry(ctx context.Context) error {
	left, err := s.Store.Leftovers(ctx, maxRetried)
	for _, l := range left {
		problem := s.Files.RemoveFiles(l.ConversationID)
		err = errors.Join(err, s.Store.NoteLeftover(ctx, l.ConversationID, s.Clock.Now(), problem), ctx.Err())
	}
	return err
}

// Sweep removes files of conversations that were deleted, wherever there are some: the
// server may have ended between the two.
func (s *Leftovers) Sweep(ctx context.Context) error {
	return s.Files.Owners(func(ids []string) error {
		gone, err := s.Store.Deleted(ctx, ids)
		for _, id := range gone {
			err = errors.Join(err, s.Remove(ctx, id))
		}
		return errors.Join(err, ctx.Err())
	})
}
