package agent

import (
	"encoding/json"
	"strings"
	"time"
)

// PolicyRule says of the calls it fits whether they may run, need a person, or
// are refused. An empty field of the condition fits everything. Where several
// rules fit, the highest priority decides; of equal ones deny before ask before
// allow. A rule never lets a critical call run without a person.
type PolicyRule struct {
	ID string `json:"id"`
	// Tool is a glob over the tool's name, Args globs over named arguments.
	Tool string  `json:"tool"`
	Args Pattern `json:"args,omitempty"`
	// ArgsHash binds a rule to exactly one set of arguments (FingerprintArgs).
	ArgsHash string `json:"argsHash,omitempty"`
	Effect   Effect `json:"effect,omitempty"`
	// Risk fits calls of exactly this risk, as it was judged before the rules; of
	// a rule that grew out of an approval it is the highest.
	Risk Risk `json:"risk,omitempty"`
	// Who is a glob over the e-mail address of the person the run works for, or a role as role:user.
	Who    string       `json:"who,omitempty"`
	Mode   ApprovalMode `json:"mode,omitempty"`
	Action Action       `json:"action"`
	// SetRisk raises the risk of the calls that the rule fits; it never lowers it.
	SetRisk  Risk   `json:"setRisk,omitempty"`
	Priority int    `json:"priority"`
	Reason   string `json:"reason,omitempty"`

	// FilesDecide says that the call does what files of the workspace say; the rule fits
	// only while they are as in Files. It comes from an approval.
	FilesDecide bool       `json:"filesDecide,omitempty"`
	Files       []SeenFile `json:"files,omitempty"`

	// Fingerprint binds a rule to one tool from outside as it was when it was allowed.
	Fingerprint string `json:"fingerprint,omitempty"`

	// Source is "config", "admin", or "approval" for one that grew out of ApprovalID.
	Source     string    `json:"source,omitempty"`
	ApprovalID string    `json:"approvalId,omitempty"`
	CreatedBy  string    `json:"createdBy,omitempty"`
	CreatedAt  time.Time `json:"createdAt,omitzero"`
	ExpiresAt  time.Time `json:"expiresAt,omitzero"` // zero is never
	RevokedAt  time.Time `json:"revokedAt,omitzero"`
	RevokedBy  string    `json:"revokedBy,omitempty"`

	// Unbacked says that it came from an approval of somebody who may not give it any more.
	Unbacked bool `json:"-"`
}

// The sources of rules.
const (
	RuleFromConfig   = "config"
	RuleFromAdmin    = "admin"
	RuleFromApproval = "approval"
)

// IsFor reports whether the rule is about calls of runs that work for a person.
func (r PolicyRule) IsFor(owner Viewer) bool {
	if role, named := strings.CutPrefix(r.Who, rolePrefix); named {
		return Role(role) == owner.Role
	}
	return r.Who == "" || GlobWide(strings.ToLower(r.Who), strings.ToLower(owner.Email))
}

// SameFiles reports whether the files that decide what a call does are those that the
// rule was made for.
func (r PolicyRule) SameFiles(q PolicyRequest) bool {
	return !r.FilesDecide || q.Files != nil && len(ChangedFiles(r.Files, q.Files())) == 0
}

// PolicyState says whether a rule is active.
type PolicyState string

// The states of rules. A suspended one is not applied, and may be again.
const (
	PolicyInForce   PolicyState = "in_force"
	PolicySuspended PolicyState = "suspended"
	PolicyExpired   PolicyState = "expired"
	PolicyRevoked   PolicyState = "revoked"
)

// PolicySuspension is why a rule is suspended.
type PolicySuspension string

// The suspensions: its author has lost the right to it, or the decision behind it can
// still be undone.
const (
	PolicyAuthorLostRight PolicySuspension = "author_lost_right"
	PolicyUndoable        PolicySuspension = "undoable"
)

// State is what a rule is at a time, and why where it is suspended.
func (r PolicyRule) State(now time.Time) (PolicyState, PolicySuspension) {
	switch {
	case !r.RevokedAt.IsZero():
		return PolicyRevoked, ""
	case !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt):
		return PolicyExpired, ""
	case r.Unbacked:
		return PolicySuspended, PolicyAuthorLostRight
	case now.Before(r.CreatedAt):
		return PolicySuspended, PolicyUndoable
	default:
		return PolicyInForce, ""
	}
}

// PolicyRequest is a call that policy is asked about.
type PolicyRequest struct {
	Spec ToolSpec
	Args json.RawMessage
	Mode ApprovalMode
	// Owner is the person the run works for.
	Owner Viewer
	// Judged is what a model thinks of the call, nil where none was asked. It can
	// only raise the risk.
	Judged *Judged
	// Rules are the active ones from admins and approvals, in addition to the
	// ones from the configuration.
	Rules []PolicyRule
	// Files says which files of the workspace decide what the call does; nil where
	// there is none. It is asked only where a rule depends on it.
	Files func() []SeenFile
	// Named says that a person or an earlier result has named the very address that the
	// call is about (ToolSpec.Address).
	Named bool
}

// Action is what policy says of a call.
type Action string

// The actions.
const (
	ActionAllow Action = "allow"
	ActionAsk   Action = "ask"
	ActionDeny  Action = "deny"
)

// PolicyVerdict is policy's answer for one call. Rule names what decided: the id of a
// built-in rule, or "rule:" and the id of a PolicyRule.
type PolicyVerdict struct {
	Action Action
	Risk   Risk
	Rule   Authority
	Reason string // one sentence for the approval: why it is needed
}

// Policy decides which calls need a person.
type Policy interface {
	Rule(q PolicyRequest) PolicyVerdict
	// Pattern is the narrowest pattern that covers a call and others of its kind;
	// nil where nothing wider than the call itself is safe.
	Pattern(spec ToolSpec, args json.RawMessage) Pattern
}
