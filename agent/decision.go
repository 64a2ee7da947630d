package agent

import (
	"encoding/json"
	"time"
)

// Decision is a person's answer to an approval.
type Decision struct {
	Verb          Verb            `json:"decision"`
	Args          json.RawMessage `json:"args"`
	Comment       string          `json:"comment"`
	Answer        string          `json:"answer"`
	Scope         Scope           `json:"scope"`
	RaiseTokensBy int64           `json:"raiseTokensBy"`
	RaiseMicrosBy int64           `json:"raiseMicrosBy"`
	// N is for the answer allow_more: 1 to MaxAllowMore, 0 takes DefaultAllowMore.
	N int `json:"n"`
	// Choices are ids of options, where a question takes several.
	Choices []string `json:"choices"`
	// Pattern is for the scopes conversation and always: the pattern that the approval
	// proposed, or none for exactly these arguments. Days is how long a standing
	// rule is in effect: 1 to MaxRuleDays, 0 takes DefaultRuleDays.
	Pattern Pattern `json:"pattern"`
	Days    int     `json:"days"`
	// For is whose calls a standing rule lets pass; "" is ForPerson.
	For RuleFor `json:"for"`
	// ArgsHash and Generation bind the decision to what was shown; zero values bind to nothing.
	ArgsHash   string `json:"argsHash"`
	Generation int    `json:"generation"`
	// ByProgram says that no page of ours showed the approval: what lets a call of high
	// or critical risk run has to name ArgsHash and Generation.
	ByProgram bool `json:"-"`
}

// RuleFor is whose calls a standing rule lets pass.
type RuleFor string

// Whom a standing rule is for: the person the run works for, or everybody.
const (
	ForPerson    RuleFor = "person"
	ForEverybody RuleFor = "everybody"
)

// How long standing rules are in effect, in days.
const (
	DefaultRuleDays = 30
	MaxRuleDays     = 365
)

// DecisionDetail is what the audit log says of a decision.
func (a Approval) DecisionDetail(decision Verb) map[string]any {
	detail := map[string]any{"decision": decision, "scope": a.Scope, "comment": a.Comment, "covers": a.Covers}
	if a.Kind == KindBudget {
		detail["budgetId"], detail["raiseTokensBy"], detail["raiseMicrosBy"] = a.BudgetID, a.RaiseTokensBy, a.RaiseMicrosBy
	}
	return detail
}

// CoverScope is how far an approval of a tool call reaches, "" for that call alone.
func (a Approval) CoverScope() Scope {
	g, _ := GrantOf(a)
	return g.Scope
}

// ToldAnswer is the answer as its event tells it: to a question, or the way in which a
// loop goes on. Results and texts of other kinds have events of their own.
func (a Approval) ToldAnswer() string {
	if a.Kind == KindQuestion || a.Kind == KindLoop && a.Decision == DecideResume {
		return a.Answer
	}
	return ""
}

// System is the actor's name for Fusebox itself.
const System = "system"

// OnTimeout is what happens to an approval that no one decided in time.
type OnTimeout string

// When an undecided approval is recalled, and when it is escalated: per
// cent of its time.
const (
	remindAt   = 75
	escalateAt = 90
)

// NextDue is when the scheduler has to look at an undecided approval, by its stage.
func (a Approval) NextDue() time.Time {
	share := func(percent int64) time.Time {
		return a.RequestedAt.Add(a.ExpiresAt.Sub(a.RequestedAt) / 100 * time.Duration(percent))
	}
	switch a.Stage {
	case StageAsked:
		return share(remindAt)
	case StageReminded:
		return share(escalateAt)
	default:
		return a.ExpiresAt
	}
}

// Undoable reports whether the decision can still be undone: it is not in effect yet.
func (a Approval) Undoable(now time.Time) bool {
	return a.Status == ApprovalDecided && !a.Applied && now.Before(a.EffectiveAt)
}

// Reopened is the approval asked again: its next generation, with nothing decided.
func (a Approval) Reopened(now time.Time, timeout time.Duration) Approval {
	a.Status, a.Applied, a.Stage = ApprovalPending, false, StageAsked
	a.Generation++
	a.RequestedAt, a.ExpiresAt = now, now.Add(timeout)
	a.Votes, a.EffectiveAt, a.EscalatedTo, a.EditedArgs = nil, time.Time{}, "", nil
	a.Decision, a.DecidedBy, a.DecidedAt, a.Comment, a.Answer = "", "", time.Time{}, "", ""
	a.Scope, a.Covers, a.RaiseTokensBy, a.RaiseMicrosBy, a.N = "", nil, 0, 0, 0
	a.RevokedAt, a.RevokedBy = time.Time{}, "" // the revocation concerned the previous decision
	a.DueAt = a.NextDue()
	return a
}

// NeededVotes is how many different people have to approve what is of a risk,
// where some people may: two for what is critical, as long as there are two.
func NeededVotes(risk Risk, deciders int) int {
	if risk == RiskCritical {
		return max(1, min(2, deciders))
	}
	return 1
}

// Vote is one person's approval of an approval that needs several.
type Vote struct {
	By      string    `json:"by"` // e-mail address
	At      time.Time `json:"at"`
	Comment string    `json:"comment,omitempty"`
}
