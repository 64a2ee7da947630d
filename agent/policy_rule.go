package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
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
	// Untrusted says that the model has read text of the web or of documents, which may give
	// it orders.
	Untrusted bool
	// Repeated reports whether another run of the tree, which has not finished, may have made
	// exactly this call. Nil is no.
	Repeated func() bool
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

// The bounds of rules.
const (
	MaxPolicyRules   = 500
	MaxRulePriority  = 1000
	maxRuleText      = 200  // tool, field names, who, id
	maxRuleGlob      = 1000 // a glob over an argument
	maxPatternFields = 20
	maxRuleReason    = 500
	argsHashDigits   = 16
	rolePrefix       = "role:"
	allowedRisks     = "low, medium, high, critical"
	allowedEffects   = "read, write, exec, network"
	allowedModes     = "default, auto_edit, yolo"
	allowedActions   = "allow, ask, deny"
	allowedRuleRoles = "role:user, role:reviewer, role:admin"
)

// Check checks a rule against its bounds. Its error has code Invalid and a
// FieldError for each bad field, under the field's JSON name.
func (r PolicyRule) Check() error {
	var bad []FieldError
	say := func(field, detail string) { bad = append(bad, FieldError{Field: field, Detail: detail}) }
	r.checkTexts(say)
	r.checkArgs(say)
	r.checkValues(say)
	if r.Action == ActionAllow { // rules that let everything run are refused, and those that never could
		unbound := strings.Trim(r.Tool, "*") == "" && strings.Trim(r.Who, "*") == "" &&
			len(r.Args) == 0 && r.ArgsHash == "" && r.Effect == "" && r.Risk == "" && r.Mode == ""
		switch {
		case unbound:
			say("action", "a rule that allows needs a condition: name a tool, arguments, an effect, a risk, a person or a mode")
		case r.Risk == RiskCritical:
			say("risk", "no rule lets a critical call run; allowed with the action allow: low, medium, high")
		case r.SetRisk == RiskCritical:
			say("setRisk", "no rule lets a critical call run; use the action ask or deny, or a lower risk")
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Message: bad[0].Field + ": " + bad[0].Detail, Fields: bad}
}

func (r PolicyRule) checkTexts(say func(field, detail string)) {
	for _, f := range []struct {
		field, text string
		most        int
		detail      string
	}{
		{"id", r.ID, maxRuleText, "is longer than 200 characters or not text"},
		{"tool", r.Tool, maxRuleText, "is longer than 200 characters or not text; use a tool's name, or a glob such as write_*"},
		{"who", r.Who, maxRuleText, "is longer than 200 characters or not text; use an e-mail address, a glob such as *@example.org, or role:user"},
		{"reason", r.Reason, maxRuleReason, "is longer than 500 characters or not text"},
	} {
		if !shortText(f.text, f.most) {
			say(f.field, f.detail)
		}
	}
	if role, named := strings.CutPrefix(r.Who, rolePrefix); named && !Role(role).Valid() {
		say("who", "names an unknown role; allowed: "+allowedRuleRoles)
	}
}

func (r PolicyRule) checkArgs(say func(field, detail string)) {
	if len(r.Args) > maxPatternFields {
		say("args", "names more than 20 fields")
		return
	}
	for name, glob := range r.Args {
		switch {
		case name == "" || !shortText(name, maxRuleText):
			say("args", "names a field that is empty or longer than 200 characters")
		case !shortText(glob, maxRuleGlob):
			say("args."+name, "is longer than 1000 characters or not text")
		}
	}
	if r.ArgsHash != "" && (len(r.ArgsHash) != argsHashDigits || strings.Trim(r.ArgsHash, "0123456789abcdef") != "") {
		say("argsHash", "is not an arguments hash; it has 16 digits from 0 to f, like a call's argsHash")
	}
}

func (r PolicyRule) checkValues(say func(field, detail string)) {
	known := func(field, value, allowed string, optional bool) {
		if (value != "" || !optional) && !slices.Contains(strings.Split(allowed, ", "), value) {
			say(field, quoted(value)+" is not allowed; allowed: "+allowed)
		}
	}
	known("action", string(r.Action), allowedActions, false)
	known("effect", string(r.Effect), allowedEffects, true)
	known("risk", string(r.Risk), allowedRisks, true)
	known("mode", string(r.Mode), allowedModes, true)
	known("setRisk", string(r.SetRisk), allowedRisks, true)
	if r.Priority < -MaxRulePriority || r.Priority > MaxRulePriority {
		say("priority", "is not allowed; allowed: a whole number from -1000 to 1000")
	}
}

func shortText(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most
}

func quoted(s string) string {
	if !shortText(s, maxRuleText) {
		return "what it says"
	}
	return `"` + s + `"`
}
