package store

import (
	"context"

	"fusebox/agent"
	"fusebox/store/sqlite"
)

// Collections keeps sets of documents, and who may do what in them.
type Collections struct{ *core }

// openTo joins documents with what a person may do in their collections; the id of the person
// follows.
const openTo = ` JOIN collection_rights o ON o.collection_id = d.collection_id AND o.user_id = `

const noCollection = "There is no such collection."

// collections are those in which the person of $1 has a right; the documents of a person that
// are in none are not among them.
const collections = `SELECT c.id, c.owner_id, u.email, c.name, c.visibility, c.access, c.created_at, o.level,
	COALESCE((SELECT json_group_array(group_name ORDER BY group_name) FROM collection_groups WHERE collection_id = c.id), '[]'),
	(SELECT COUNT(*) FROM documents WHERE collection_id = c.id)
	FROM collection_rights o CROSS JOIN collections c ON c.id = o.collection_id JOIN users u ON u.id = c.owner_id WHERE o.user_id = $1`

func scanCollection(r sqlite.Scanner) (c agent.Collection, err error) {
	var access, groups string
	if err := r.Scan(&c.ID, &c.OwnerID, &c.Owner, &c.Name, &c.Visibility, &access, sqlite.Time(&c.CreatedAt), &c.Right, &groups,
		&c.Documents); err != nil {
		return c, err
	}
	if err := fromJSON(groups, &c.Groups); err != nil {
		return c, err
	}
	if c.Right < agent.RightOwn { // which other groups have it is the owner's business
		c.Groups = nil
	}
	err = c.Access.UnmarshalText([]byte(access))
	return c, err
}

// maxListedCollections bounds how many collections are listed.
const maxListedCollections = 500

// Collections are those that are open to a person, their own first, by name.
func (s *Collections) Collections(ctx context.Context, userID string) ([]agent.Collection, error) {
	return sqlite.List(ctx, s.db, scanCollection, collections+` ORDER BY o.level <> 3, c.name COLLATE NOCASE, c.id LIMIT $2`, userID, maxListedCollections)
}

// Collection is one that is open to a person; NotFound for any other.
func (s *Collections) Collection(ctx context.Context, userID, id string) (agent.Collection, error) {
	c, err := scanCollection(s.db.QueryRowContext(ctx, collections+` AND o.collection_id = $2`, userID, id))
	return c, sqlite.NotFound(err, noCollection)
}

// CreateCollection adds a collection of c.OwnerID. Conflict where they have one of that name, or
// as many as they may.
func (s *Collections) CreateCollection(ctx context.Context, c agent.Collection) error {
	if err := s.db.Room(); err != nil {
		return err
	}
	return s.audited(ctx, "", "collection.create", c.ID, shared(c), func(t *sqlite.Tx) error {
		var all int
		if err := t.Row(`SELECT COUNT(*) FROM collections WHERE owner_id = $1`, c.OwnerID).Scan(&all); err != nil {
			return err
		}
		if all >= agent.MaxCollections {
			return agent.Errorf(agent.Conflict, "You have %d collections, as many as a person may have. Delete one first.", all)
		}
		if err := nameIsFree(t, c); err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO collections (id, owner_id, name, visibility, access, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			c.ID, c.OwnerID, c.Name, c.Visibility, c.Access.String(), sqlite.MS(c.CreatedAt)); err != nil {
			return err
		}
		return shareWith(t, c)
	})
}

// sharing is what the audit log keeps of a collection: not its name, which may tell as much as
// what is in it.
type sharing struct {
	Visibility agent.Visibility `json:"visibility"`
	Groups     []string         `json:"groups,omitempty"`
	Access     agent.Right      `json:"access"`
}

func shared(c agent.Collection) sharing { return sharing{c.Visibility, c.Groups, c.Access} }

func nameIsFree(t *sqlite.Tx, c agent.Collection) error {
	var taken bool
	err := t.Row(`SELECT EXISTS (SELECT 1 FROM collections WHERE owner_id = $1 AND name = $2 COLLATE NOCASE AND id <> $3)`, c.OwnerID, c.Name, c.ID).Scan(&taken)
	if err == nil && taken {
		err = agent.Errorf(agent.Conflict, "You have a collection named %s already. Choose another name.", c.Name)
	}
	return err
}

func shareWith(t *sqlite.Tx, c agent.Collection) error {
	if _, err := t.Exec(`DELETE FROM collection_groups WHERE collection_id = $1`, c.ID); err != nil {
		return err
	}
	for _, group := range c.Groups {
		if _, err := t.Exec(`INSERT INTO collection_groups (group_name, collection_id) VALUES ($1, $2)`, group, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// UpdateCollection changes a collection of a person. Whom it is not open to any more finds
// nothing of it from this write on. Forbidden for others to whom it is open.
func (s *Collections) UpdateCollection(ctx context.Context, userID string, c agent.Collection) error {
	var change struct {
		From sharing `json:"from"`
		To   sharing `json:"to"`
	}
	change.To = shared(c)
	return s.audited(ctx, "", "collection.share", c.ID, &change, func(t *sqlite.Tx) error {
		before, err := ownCollection(t, userID, c.ID)
		if err != nil {
			return err
		}
		change.From = shared(before)
		if err := nameIsFree(t, c); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE collections SET name = $1, visibility = $2, access = $3 WHERE id = $4`, c.Name, c.Visibility, c.Access.String(), c.ID); err != nil {
			return err
		}
		return shareWith(t, c)
	})
}

func ownCollection(t *sqlite.Tx, userID, id string) (agent.Collection, error) {
	c, err := scanCollection(t.Row(collections+` AND o.collection_id = $2`, userID, id))
	if err != nil {
		return c, sqlite.NotFound(err, noCollection)
	}
	if c.Right < agent.RightOwn {
		err = agent.Errorf(agent.Forbidden, "Only its owner can change this collection.")
	}
	return c, err
}

// DeleteCollection deletes a collection. Its documents are kept: they are the owner's own again.
func (s *Collections) DeleteCollection(ctx context.Context, userID, id string) error {
	var gone struct {
		Documents int `json:"documents"`
	}
	return s.audited(ctx, "", "collection.delete", id, &gone, func(t *sqlite.Tx) error {
		c, err := ownCollection(t, userID, id)
		if err != nil {
			return err
		}
		gone.Documents = c.Documents
		if err := t.ExecEach([]any{c.OwnerID, id},
			`UPDATE documents SET collection_id = $1, renamed = TRUE WHERE collection_id = $2`,
			`UPDATE deleted_documents SET collection_id = $1 WHERE collection_id = $2`); err != nil {
			return err
		}
		_, err = t.Exec(`DELETE FROM collections WHERE id = $1`, id)
		return err
	})
}

// collectionFor is the owner of a collection in which a person may write, and the person's right.
func collectionFor(t *sqlite.Tx, userID, collectionID string) (ownerID string, right agent.Right, err error) {
	err = t.Row(`SELECT o.level, COALESCE(c.owner_id, o.user_id) FROM collection_rights o LEFT JOIN collections c ON c.id = o.collection_id
		WHERE o.user_id = $1 AND o.collection_id = $2`, userID, collectionID).Scan(&right, &ownerID)
	if err == nil && right < agent.RightWrite {
		err = agent.Errorf(agent.Forbidden, "You can read this collection, and not add documents to it. Ask its owner.")
	}
	return ownerID, right, sqlite.NotFound(err, noCollection)
}

// mayChange answers NotFound where a document is not open to a person, and Forbidden where they
// have less than a right.
func mayChange(t *sqlite.Tx, userID, id string, needed agent.Right) error {
	var right agent.Right
	if err := t.Row(`SELECT o.level FROM documents d`+openTo+`$1 WHERE d.id = $2`, userID, id).Scan(&right); err != nil {
		return noDocument(err)
	}
	switch {
	case right >= needed:
		return nil
	case needed == agent.RightOwn:
		return agent.Errorf(agent.Forbidden, "Only the owner of its collection can delete or move this document.")
	}
	return agent.Errorf(agent.Forbidden, "You can read this document, and not change it. Ask the owner of its collection.")
}

// chosenDocuments are the documents of collections that are chosen; the condition is that of chosen.
const chosenDocuments = ` FROM collection_rights o CROSS JOIN documents d ON d.collection_id = o.collection_id `

// chosen adds that o is the right of a person in collections which they have chosen.
func (w *where) chosen(userID string, in agent.CollectionChoice) error {
	w.And(`o.user_id = `, userID, ``)
	if in.All() {
		return nil
	}
	list, err := toJSON(in.IDs(userID))
	if err == nil {
		w.And(`o.collection_id IN (SELECT value FROM json_each(`, list, `))`)
	}
	return err
}

// UserGroup is the group of a person, "" for none.
func (s *Collections) UserGroup(ctx context.Context, userID string) (name string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT group_name FROM users WHERE id = $1`, userID).Scan(&name)
	return name, sqlite.NotFound(err, "There is no such account.")
}

func noDocument(err error) error { return sqlite.NotFound(err, agent.NoDocument) }
