package service

import (
	"context"
	"errors"
	"log/slog"

	"fusebox/agent"
)

// Data is an account and what belongs to it.
func (s *Users) Data(ctx context.Context, id string) (*agent.User, agent.UserData, error) {
	u, err := s.Store.UserByID(ctx, id)
	if err != nil {
		return nil, agent.UserData{}, err
	}
	d, err := s.Store.UserData(ctx, id)
	return u, d, err
}

// Remove removes an account with its conversations, runs, files, sessions and tokens,
// and returns what there was. The bill and the audit log are kept. It disables the
// account first, so that nothing is added meanwhile; where it breaks off, it can be
// repeated. Conflict while a run is active, for the viewer's own account, and for the
// last admin.
func (s *Users) Remove(ctx context.Context, v agent.Viewer, id string) (gone agent.UserData, err error) {
	if v.UserID == id {
		return gone, agent.Errorf(agent.Conflict, "You can't remove your own account. Ask another admin.")
	}
	u, gone, err := s.Data(ctx, id)
	if err != nil {
		return gone, err
	}
	if gone.Active > 0 {
		return gone, agent.Errorf(agent.Conflict, "%d of this person's runs are running or waiting. Abort them first.", gone.Active)
	}
	if err := s.telling(id, s.Store.PatchUser(ctx, id, agent.UserPatch{Disabled: new(true)})); err != nil {
		return gone, err
	}
	ids, err := s.Store.ConversationsOf(ctx, u.ID)
	if err != nil {
		return gone, err
	}
	owner := v // the conversations are deleted on behalf of the viewer
	owner.UserID = u.ID
	for _, id := range ids {
		if err := s.Conversations.Delete(ctx, owner, id); err != nil {
			return gone, err
		}
	}
	if err := s.Store.RemoveUser(ctx, id, gone); err != nil {
		return gone, err
	}
	if err := s.Documents.Sweep(ctx); err != nil {
		s.Log.Warn("removing the documents of a removed account failed, they are tried again", "user_id", id, "error", err)
	}
	return gone, nil
}

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
