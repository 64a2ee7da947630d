package agent

import "strings"

// AuthorityKind is what sort of thing lets a tool call run, or keeps it from it.
type AuthorityKind string

// The kinds of authorities.
const (
	// AuthorityBuiltIn is a rule of policy itself, or nothing at all.
	AuthorityBuiltIn AuthorityKind = ""
	// AuthorityApproval is the decision about the call itself.
	AuthorityApproval AuthorityKind = "approval"
	// AuthorityScope is the decision about an earlier call, which covers this one.
	AuthorityScope AuthorityKind = "scope"
	// AuthorityRule is a rule of an admin or of an approval, AuthorityConfig one of
	// the configuration.
	AuthorityRule   AuthorityKind = "rule"
	AuthorityConfig AuthorityKind = "config"
	// AuthorityGuard is a breaker.
	AuthorityGuard AuthorityKind = "guard"
	// AuthorityTwin is an equal call earlier in the same answer: what becomes of that
	// becomes of this one.
	AuthorityTwin AuthorityKind = "twin"
)

// Authority is what lets a tool call run, or makes it ask. It is stored and sent
// as its text.
type Authority struct {
	Kind AuthorityKind
	// ID is that of the approval, rule, or twin, or the name of the breaker or built-in rule.
	ID string
	// Scope is how far an approval reaches, for AuthorityScope.
	Scope Scope
}

// BuiltIn is a rule of policy itself.
func BuiltIn(name string) Authority { return Authority{ID: name} }

// Authority is the rule as what lets calls run.
func (r PolicyRule) Authority() Authority {
	if r.Source == RuleFromConfig {
		return Authority{Kind: AuthorityConfig, ID: r.ID}
	}
	return Authority{Kind: AuthorityRule, ID: r.ID}
}

// Authority is the grant as what lets calls run.
func (g Grant) Authority() Authority {
	return Authority{Kind: AuthorityScope, ID: g.ApprovalID, Scope: g.Scope}
}

// ApprovalID is the approval that an authority rests on, "" for none.
func (a Authority) ApprovalID() string {
	if a.Kind == AuthorityApproval || a.Kind == AuthorityScope {
		return a.ID
	}
	return ""
}

// RuleID is the stored rule that an authority rests on, "" for none.
func (a Authority) RuleID() string {
	if a.Kind == AuthorityRule {
		return a.ID
	}
	return ""
}

// Revocable reports whether the basis of an authority can be revoked.
func (a Authority) Revocable() bool { return a.ApprovalID() != "" || a.RuleID() != "" }

// String is the text that ParseAuthority reads.
func (a Authority) String() string {
	switch a.Kind {
	case AuthorityBuiltIn:
		return a.ID
	case AuthorityScope:
		return string(a.Kind) + ":" + string(a.Scope) + ":" + a.ID
	default:
		return string(a.Kind) + ":" + a.ID
	}
}

// ParseAuthority reads an authority's text. Every text is one: what names no
// other kind is built in.
func ParseAuthority(text string) Authority {
	prefix, id, _ := strings.Cut(text, ":")
	switch kind := AuthorityKind(prefix); kind {
	case AuthorityApproval, AuthorityRule, AuthorityConfig, AuthorityGuard, AuthorityTwin:
		if prefix != text {
			return Authority{Kind: kind, ID: id}
		}
	case AuthorityScope:
		if scope, approval, ok := strings.Cut(id, ":"); ok {
			return Authority{Kind: kind, ID: approval, Scope: Scope(scope)}
		}
	case AuthorityBuiltIn:
	}
	return BuiltIn(text)
}

// MarshalText makes an authority a string in JSON.
func (a Authority) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Authority) UnmarshalText(text []byte) error {
	*a = ParseAuthority(string(text))
	return nil
}
