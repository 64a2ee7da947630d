package agent

import (
	"encoding/json"
	"time"
)

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
	}.bound(a), true
}

// bound ties a grant to the files that its approval has shown, and to the tool.
func (g Grant) bound(a Approval) Grant {
	ev, err := a.ToolEvidence()
	if err != nil {
		return g
	}
	g.Fingerprint = ev.Fingerprint
	if ev.FilesDecide {
		g.FilesDecide, g.Files = true, ev.Files
	}
	return g
}

// BindTo is bound for a store, which has the evidence alone.
func (g Grant) BindTo(evidence json.RawMessage) Grant { return g.bound(Approval{Evidence: evidence}) }
