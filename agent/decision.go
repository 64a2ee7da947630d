package agent

import "encoding/json"

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
