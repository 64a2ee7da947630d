package agent

import (
	"encoding/json"
	"strings"
	"time"
)

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

// Grant is an earlier decision that covers later calls.
type Grant struct {
	ApprovalID string
	Scope      Scope
	ToolName   string
	// Covers and ArgsHash bind scope conversation: the pattern that was chosen,
	// or exactly these arguments.
	Covers   Pattern
	ArgsHash string
	// FilesDecide says that the approved call does what files of the workspace say. The
	// grant covers it, and with the scope run other such calls, as long as those that they
	// name are as in Files.
	FilesDecide bool
	Files       []SeenFile
	// Fingerprint binds the grant to the tool from outside that it was given for.
	Fingerprint string
	Risk        Risk // the grant covers calls of no higher risk
	DecidedBy   string
	DecidedAt   time.Time
}

// Fits reports whether the grant lets a call of this risk pass without asking
// again. Critical calls always ask.
func (g Grant) Fits(c ToolCall, risk Risk) bool {
	if g.ToolName != c.Name || risk == RiskCritical || !risk.AtMost(g.Risk) {
		return false
	}
	switch {
	case g.Scope == ScopeRun:
		return true
	case g.Scope != ScopeConversation:
		return false
	case len(g.Covers) > 0:
		return g.Covers.Matches(RawArgs(c.Args))
	default:
		return g.ArgsHash == c.ArgsHash
	}
}

// GrantOf returns the grant that an approving decision gives to later calls. An
// edit gives none beyond its run: its hash is that of the replaced arguments,
// which no one approved.
func GrantOf(a Approval) (Grant, bool) {
	approves := a.Decision == DecideApprove || (a.Decision == DecideEdit && a.Scope == ScopeRun)
	if a.Kind != KindTool || !approves || a.Scope == "" || a.Scope == ScopeOnce {
		return Grant{}, false
	}
	return Grant{
		ApprovalID: a.ID, Scope: a.Scope, ToolName: a.ToolName, ArgsHash: a.ArgsHash, Covers: a.Covers,
		Risk: a.Risk, DecidedBy: a.DecidedBy, DecidedAt: a.DecidedAt,
	}.BindTo(a.Evidence), true
}

// BindTo ties a grant to the files that its approval has shown as evidence, and to the tool.
func (g Grant) BindTo(evidence json.RawMessage) Grant {
	ev, err := Evidence(evidence).Tool()
	if err != nil {
		return g
	}
	g.Fingerprint = ev.Fingerprint
	if ev.FilesDecide {
		g.FilesDecide, g.Files = true, ev.Files
	}
	return g
}
