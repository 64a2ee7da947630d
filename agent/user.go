package agent

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Role says what a user may do beyond owning conversations.
type Role string

// The roles, in rising order of rights.
const (
	RoleUser     Role = "user"
	RoleReviewer Role = "reviewer"
	RoleAdmin    Role = "admin"
)

// Valid reports whether r is one of the three roles.
func (r Role) Valid() bool { return r == RoleUser || r == RoleReviewer || r == RoleAdmin }

// Reviews reports whether the role may decide approvals of other people's runs.
func (r Role) Reviews() bool { return r == RoleReviewer || r == RoleAdmin }

// AtLeast reports whether the role has the rights of another one.
func (r Role) AtLeast(least Role) bool {
	order := []Role{RoleUser, RoleReviewer, RoleAdmin}
	return least.Valid() && slices.Index(order, r) >= slices.Index(order, least)
}

// User is an account. Email is unique and compared in lower case.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	// Name is what the person wants to be called, "" for nothing but the address.
	Name     string `json:"name,omitempty"`
	Role     Role   `json:"role"`
	Disabled bool   `json:"disabled"`
	// Group is the name of the one group that the user belongs to, "" for none.
	Group     string    `json:"group,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	// OutputMode is how answers are shown to this person, "" as configured.
	OutputMode OutputMode `json:"outputMode,omitempty"`
	// Notify says whether this person gets e-mails about approvals and budgets.
	Notify bool `json:"notify"`
	// Language is the tag of the language of this person's pages, "" for what the
	// browser asks for.
	Language string `json:"language,omitempty"`
	// MemoryOff says that this person's runs neither remember nor recall.
	MemoryOff bool `json:"-"`
	// SessionEpoch rises with each new password: sessions of an older one are over.
	SessionEpoch int64 `json:"-"`
}

// UserPatch is what is changed of an account; nil stays as it is.
type UserPatch struct {
	Role     *Role
	Disabled *bool
	Group    *string
}

// Viewer is the requester: every query that returns something a person owns takes
// one, so that the check of ownership is part of the query itself.
type Viewer struct {
	UserID string
	Email  string
	// Name is what the person wants to be called, "" for nothing but the address.
	Name string
	Role Role
	// Token is the id of the API token that the request came with, "" for a browser.
	Token string
	// Place is where the request came from, for the audit log.
	Place string
}

// Viewer returns the user as a requester.
func (u User) Viewer() Viewer {
	return Viewer{UserID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role}
}

type viewerKey struct{}

// WithViewer puts the person on whose behalf something is done into a context, so that
// what is changed deep inside is written down under the right name.
func WithViewer(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

// ViewerIn returns the person on whose behalf something is done; where none is named
// it is Fusebox itself.
func ViewerIn(ctx context.Context) Viewer {
	if v, ok := ctx.Value(viewerKey{}).(Viewer); ok {
		return v
	}
	return Viewer{Email: System}
}

// SeesAll reports whether the viewer may read everyone's conversations.
func (v Viewer) SeesAll() bool { return v.Role == RoleAdmin }

const maxGroup = 60

// GroupName reads the name of a group of users, "" for none. Its error has the
// field's name.
func GroupName(field, text string) (string, error) {
	name := strings.TrimSpace(text)
	bad := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxGroup || strings.ContainsFunc(name, bad) {
		return "", InvalidField(field, "is not the name of a group; allowed: up to %d printable characters", maxGroup)
	}
	return name, nil
}

// UserData counts what belongs to a person, and goes when their account is removed.
type UserData struct {
	Conversations int `json:"conversations"`
	Runs          int `json:"runs"`
	// Active are the runs that have not ended.
	Active int `json:"-"`
	Tokens int `json:"tokens"`
	// Budgets are those for this person alone.
	Budgets int `json:"budgets"`
	// Facts are what is remembered about them.
	Facts int `json:"facts"`
	// Documents are their files and notes.
	Documents int `json:"documents"`
	// Collections are those that are shared with others.
	Collections int `json:"collections"`
}

// removedTail is how much of an id tells removed people apart.
const removedTail = 6

// RemovedUser is the name of a person whose account was removed, in what is kept of
// them. The store knows how it is put together, too.
func RemovedUser(id string) string {
	return "removed user " + id[max(0, len(id)-removedTail):]
}
