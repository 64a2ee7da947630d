package service

import (
	"context"

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
	disabled := true
	if err := s.Store.PatchUser(ctx, id, agent.UserPatch{Disabled: &disabled}); err != nil {
		return gone, err
	}
	s.changed(id)
	if err := s.deleteConversations(ctx, v, u.ID); err != nil {
		return gone, err
	}
	return gone, s.Store.RemoveUser(ctx, id, gone)
}

// deleteConversations deletes all of an account's, on behalf of the viewer.
func (s *Users) deleteConversations(ctx context.Context, v agent.Viewer, ownerID string) error {
	ids, err := s.Store.ConversationsOf(ctx, ownerID)
	if err != nil {
		return err
	}
	owner := v
	owner.UserID = ownerID
	for _, id := range ids {
		if err := s.Conversations.Delete(ctx, owner, id); err != nil {
			return err
		}
	}
	return nil
}
