package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Collection is a set of documents with an owner, to whom these belong, and with rights that
// others have in it.
type Collection struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Visibility is whom it is open to besides its owner, Groups the names of the groups where
	// it is open to some.
	Visibility Visibility `json:"visibility"`
	Groups     []string   `json:"groups,omitempty"`
	// Access is what those do whom it is open to: RightRead or RightWrite.
	Access  Right  `json:"access"`
	OwnerID string `json:"-"`
	// Owner is the owner's e-mail address.
	Owner     string    `json:"owner"`
	CreatedAt time.Time `json:"createdAt"`
	// Documents is how many there are in it.
	Documents int `json:"documents"`
	// Right is what the viewer may do in it.
	Right Right `json:"right"`
}

// Visibility is whom a collection is open to besides its owner.
type Visibility string

// The visibilities of collections.
const (
	VisiblePrivate   Visibility = "private"
	VisibleGroup     Visibility = "group" // the members of some groups
	VisibleEverybody Visibility = "everybody"
)

// Right is what a person may do in a collection, the least first. Who has none does not
// learn that it is there.
type Right int

// The rights in collections.
const (
	RightNone Right = iota
	RightRead
	RightWrite // adds, replaces, and renames documents
	RightOwn   // deletes and moves them, and shares the collection
)

var rightNames = []string{"none", "read", "write", "own"}

// MarshalText writes its name.
func (r Right) MarshalText() ([]byte, error) {
	if r < RightNone || r > RightOwn {
		return nil, fmt.Errorf("%d is no right", int(r))
	}
	return []byte(rightNames[r]), nil
}

// UnmarshalText reads its name.
func (r *Right) UnmarshalText(text []byte) error {
	i := slices.Index(rightNames, string(text))
	if i < 0 {
		return InvalidField("access", "%q is not allowed; allowed: read, write", Clip(string(text), 20))
	}
	*r = Right(i)
	return nil
}

// String is its name.
func (r Right) String() string {
	text, err := r.MarshalText()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// CollectionPatch changes the named fields of a collection; nil leaves one alone.
type CollectionPatch struct {
	Name       *string     `json:"name"`
	Visibility *Visibility `json:"visibility"`
	Groups     *[]string   `json:"groups"`
	Access     *Right      `json:"access"`
}

// The bounds of collections.
const (
	MaxCollections      = 100 // of a person
	MaxCollectionName   = 80  // characters
	maxCollectionGroups = 50
	maxChosen           = 50 // that are named at once
)

// Check puts a collection into order, and answers Invalid, with the field and what is allowed there.
func (c *Collection) Check() error {
	c.Name = strings.TrimSpace(c.Name)
	c.Visibility, c.Access = cmp.Or(c.Visibility, VisiblePrivate), cmp.Or(c.Access, RightRead)
	switch {
	case c.Name == "":
		return InvalidField("name", "is missing; name the collection after what is in it")
	case utf8.RuneCountInString(c.Name) > MaxCollectionName:
		return InvalidField("name", "is too long; at most %d characters are allowed", MaxCollectionName)
	case !plain(c.Name, ""):
		return InvalidField("name", "has characters that cannot be shown; use printable text in one line")
	case c.Visibility != VisiblePrivate && c.Visibility != VisibleGroup && c.Visibility != VisibleEverybody:
		return InvalidField("visibility", "%q is not allowed; allowed: %s, %s, %s", Clip(string(c.Visibility), 20), VisiblePrivate, VisibleGroup, VisibleEverybody)
	case c.Access != RightRead && c.Access != RightWrite:
		return InvalidField("access", "%q is not allowed; allowed: %s, %s", c.Access, RightRead, RightWrite)
	}
	return c.checkGroups()
}

func (c *Collection) checkGroups() error {
	if c.Visibility != VisibleGroup {
		c.Groups = nil
		return nil
	}
	var groups []string
	for _, text := range c.Groups {
		name, err := GroupName("groups", text)
		if err != nil {
			return err
		}
		if name != "" && !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	switch {
	case len(groups) == 0:
		return InvalidField("groups", "is empty; name the groups that the collection is shared with")
	case len(groups) > maxCollectionGroups:
		return InvalidField("groups", "has %d names; at most %d are allowed", len(groups), maxCollectionGroups)
	}
	slices.Sort(groups)
	c.Groups = groups
	return nil
}

// Words of a CollectionChoice.
const (
	AllCollections = "all" // all that are open to the person
	OwnCollection  = "own" // the person's documents that are in none
)

// CollectionChoice names the collections that are searched, by their ids, by OwnCollection, or
// by AllCollections alone. An empty one is none of them.
type CollectionChoice []string

// Everything are all collections that are open to a person.
func Everything() CollectionChoice { return CollectionChoice{AllCollections} }

// All reports whether all collections are chosen that are open to the person.
func (c CollectionChoice) All() bool { return len(c) == 1 && c[0] == AllCollections }

// IDs are those of the collections that are chosen by them, with that of the person for their own.
func (c CollectionChoice) IDs(userID string) []string {
	ids := append([]string{}, c...) // none of them is an empty list
	for i, id := range ids {
		if id == OwnCollection {
			ids[i] = userID
		}
	}
	return ids
}

// Check answers Invalid for the field where a choice says nothing or too much. Collections that
// there are not, or that are not open to the person, are never searched, and no error: they look alike.
func (c CollectionChoice) Check(field string) error {
	if len(c) > maxChosen {
		return InvalidField(field, "names %d collections; at most %d are allowed", len(c), maxChosen)
	}
	for i, id := range c {
		switch {
		case id == "" || len(id) > 64 || !plain(id, ""):
			return InvalidField(field, "%q is not the id of a collection; allowed: ids, %s, or %s alone", Clip(id, 64), OwnCollection, AllCollections)
		case id == AllCollections && len(c) > 1:
			return InvalidField(field, "names %s and others; name %s alone, or the others", AllCollections, AllCollections)
		case slices.Contains(c[:i], id):
			return InvalidField(field, "names %s twice", id)
		}
	}
	return nil
}

// Search is a question about the documents that are open to a person.
type Search struct {
	UserID string
	// In are the collections that are searched.
	In    CollectionChoice
	Query string
	Limit int
}

// DocumentFilter is which documents are listed.
type DocumentFilter struct {
	UserID string // to whom they are open
	In     CollectionChoice
	Name   string // a part of the name
}
