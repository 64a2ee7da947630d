package agent

import (
	"slices"
	"time"
)

// Token is an API token as its owner sees it in a list: the secret itself is
// shown once and stored only as a hash.
type Token struct {
	ID     string `json:"id"`
	UserID string `json:"-"`
	Name   string `json:"name"`
	// Scopes are what it may be used for.
	Scopes    TokenScopes `json:"scopes"`
	CreatedAt time.Time   `json:"createdAt"`
	// ExpiresAt is when it stops working, zero for never.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// LastUsedAt is kept to the hour.
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
}

// TokenScope is a part of a person's rights. A token has those of its owner's role, as far
// as its scopes go.
type TokenScope string

// The scopes.
const (
	// TokenRead is to see what the person sees.
	TokenRead TokenScope = "read"
	// TokenChat is to write messages, start and stop runs, and change conversations.
	TokenChat TokenScope = "chat"
	// TokenApprove is to decide approvals.
	TokenApprove TokenScope = "approve"
	// TokenAdmin is to administer: for everybody their own account, for admins the instance.
	TokenAdmin TokenScope = "admin"
	// TokenMetrics is to fetch the metrics, for admins.
	TokenMetrics TokenScope = "metrics"
)

// Valid reports whether s is one of the scopes.
func (s TokenScope) Valid() bool { return AllTokenScopes().Has(s) }

// TokenScopes are what a token may be used for; none is nothing at all.
type TokenScopes []TokenScope

// AllTokenScopes are all there are.
func AllTokenScopes() TokenScopes {
	return TokenScopes{TokenRead, TokenChat, TokenApprove, TokenAdmin, TokenMetrics}
}

// ParseTokenScopes reads the names of scopes. Its error has the field's name.
func ParseTokenScopes(field string, names []string) (TokenScopes, error) {
	named := TokenScopes{}
	for _, name := range names {
		if !TokenScope(name).Valid() {
			return nil, InvalidField(field, "%q is not allowed; allowed: %s", name, AllTokenScopes())
		}
		named = append(named, TokenScope(name))
	}
	if len(named) == 0 {
		return nil, InvalidField(field, "is missing; choose at least one of %s", AllTokenScopes())
	}
	return slices.DeleteFunc(AllTokenScopes(), func(s TokenScope) bool { return !named.Has(s) }), nil
}

// Has reports whether a scope is among s.
func (s TokenScopes) Has(one TokenScope) bool { return slices.Contains(s, one) }

// Within reports whether all of s are among others.
func (s TokenScopes) Within(others TokenScopes) bool {
	return !slices.ContainsFunc(s, func(one TokenScope) bool { return !others.Has(one) })
}

// String lists them for people.
func (s TokenScopes) String() string { return joined(s) }

// Within is the role that a token with some scopes acts in: without the scope for it,
// an admin is a reviewer.
func (r Role) Within(s TokenScopes) Role {
	if r == RoleAdmin && !s.Has(TokenAdmin) {
		return RoleReviewer
	}
	return r
}
