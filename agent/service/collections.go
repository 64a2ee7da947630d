package service

import (
	"context"

	"fusebox/agent"
)

// collectionOf is the collection that a person names: "" and agent.OwnCollection are their own documents.
func collectionOf(userID, named string) string {
	if named == "" || named == agent.OwnCollection {
		return userID
	}
	return named
}

// CreateCollection adds a collection of the viewer. One that is shared with groups, and names
// none, is shared with the viewer's own.
func (s *Documents) CreateCollection(ctx context.Context, v agent.Viewer, in agent.CollectionPatch) (agent.Collection, error) {
	c := agent.Collection{ID: s.NewID(), OwnerID: v.UserID, CreatedAt: agent.Stamp(s.Clock)}
	if err := s.change(ctx, v, &c, in); err != nil {
		return c, err
	}
	if err := s.Collections.CreateCollection(agent.WithViewer(ctx, v), c); err != nil {
		return c, err
	}
	return s.Collections.Collection(ctx, v.UserID, c.ID)
}

// UpdateCollection changes a collection of the viewer. Whom it is not open to any more finds
// nothing of it from then on, also in chats that cite it.
func (s *Documents) UpdateCollection(ctx context.Context, v agent.Viewer, id string, in agent.CollectionPatch) (agent.Collection, error) {
	c, err := s.Collections.Collection(ctx, v.UserID, id)
	if err != nil {
		return c, err
	}
	if err := s.change(ctx, v, &c, in); err != nil {
		return c, err
	}
	if err := s.Collections.UpdateCollection(agent.WithViewer(ctx, v), v.UserID, c); err != nil {
		return c, err
	}
	return s.Collections.Collection(ctx, v.UserID, id)
}

func (s *Documents) change(ctx context.Context, v agent.Viewer, c *agent.Collection, in agent.CollectionPatch) error {
	set(&c.Name, in.Name)
	set(&c.Visibility, in.Visibility)
	set(&c.Access, in.Access)
	set(&c.Groups, in.Groups)
	if c.Visibility == agent.VisibleGroup && len(c.Groups) == 0 && in.Groups == nil {
		group, err := s.Collections.UserGroup(ctx, v.UserID)
		if err != nil {
			return err
		}
		c.Groups = []string{group}
	}
	return c.Check()
}

// DeleteCollection deletes a collection of the viewer. Its documents are the viewer's own again.
func (s *Documents) DeleteCollection(ctx context.Context, v agent.Viewer, id string) error {
	return s.Collections.DeleteCollection(agent.WithViewer(ctx, v), v.UserID, id)
}

// Move moves a document to a collection in which the person may write, or to their own documents.
// It belongs to the owner of the collection from then on.
func (s *Documents) Move(ctx context.Context, userID, id, collectionID string) error {
	if err := s.Store.MoveDocument(ctx, userID, id, collectionOf(userID, collectionID)); err != nil {
		return err
	}
	s.Queue.Wake()
	return nil
}
