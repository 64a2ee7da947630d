package agent

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Agent is a definition of who answers: what it is for, how it works, and what it may use.
// Each change makes a new version; a run names the version it works by.
type Agent struct {
	// Name has 1 to 40 lower-case letters, digits, hyphens, and underscores, and begins
	// with a letter.
	Name string `json:"name"`
	// Purpose is what people and other agents choose it by.
	Purpose string `json:"purpose"`
	// Instructions join the system prompt.
	Instructions string `json:"instructions"`
	// Model is "" for that of the run.
	Model string `json:"model,omitempty"`
	// Tools are the names of the tools it has. Nil is all that its run has, an empty
	// list none.
	Tools []string `json:"tools,omitzero"`
	// Knowledge are the collections that it searches, as far as they are open to the person
	// whom it works for. Nil is those of the conversation, an empty choice none.
	Knowledge CollectionChoice `json:"knowledge,omitzero"`
	// Mode is "" for that of the conversation; otherwise the stricter of the two applies.
	Mode      ApprovalMode `json:"mode,omitempty"`
	Limits    AgentLimits  `json:"limits,omitzero"`
	Version   int          `json:"version"`
	Source    AgentSource  `json:"source"`
	UpdatedAt time.Time    `json:"updatedAt,omitzero"`
	// UpdatedBy is an e-mail address, "" where the program or its configuration made it.
	UpdatedBy string `json:"updatedBy,omitempty"`
}

// AgentLimits lower the limits of an agent's runs. 0 leaves one as it is.
type AgentLimits struct { //nolint:revive // Limits are those of a run
	Steps      int   `json:"steps,omitempty"`
	DurationMS int64 `json:"durationMs,omitempty"`
	Tokens     int64 `json:"tokens,omitempty"`
	CostMicros int64 `json:"costMicros,omitempty"`
}

// Lower lowers the limits of a run to those of the agent.
func (l AgentLimits) Lower(of Limits) Limits {
	of.Steps, of.DurationMS = lower(of.Steps, l.Steps), lower(of.DurationMS, l.DurationMS)
	of.Tokens, of.CostMicros = lower(of.Tokens, l.Tokens), lower(of.CostMicros, l.CostMicros)
	return of
}

// lower is the lower of two limits; 0 is none.
func lower[N int | int64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// AgentSource is where an agent's newest version comes from.
type AgentSource string //nolint:revive // of agents, among other things that have one

// The sources of agents.
const (
	AgentShipped    AgentSource = "shipped"
	AgentConfigured AgentSource = "configuration"
	AgentByAdmin    AgentSource = "admin"
)

// The bounds of agents.
const (
	MaxAgents            = 100
	MaxAgentPurpose      = 500      // bytes
	MaxAgentInstructions = 16 << 10 // bytes
	maxAgentModel        = 200
	maxAgentTools        = 200
	maxAgentSteps        = 10_000
	maxAgentDuration     = 24 * time.Hour
	maxAgentTokens       = 1_000_000_000
	maxAgentCost         = 1_000_000_000_000
)

var (
	agentName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	toolName  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
)

// Check answers Invalid, with the field and what is allowed there.
func (a Agent) Check() error {
	switch {
	case !agentName.MatchString(a.Name):
		return InvalidField("name", "use 1 to 40 lower-case letters, digits, hyphens, and underscores, beginning with a letter, such as researcher")
	case strings.TrimSpace(a.Purpose) == "":
		return InvalidField("purpose", "is empty; say in a sentence or two what the agent is for")
	case len(a.Purpose) > MaxAgentPurpose:
		return InvalidField("purpose", "has %d bytes; at most %d are allowed", len(a.Purpose), MaxAgentPurpose)
	case !plain(a.Purpose, ""):
		return InvalidField("purpose", "has characters that cannot be shown; use printable text in one line")
	case strings.TrimSpace(a.Instructions) == "":
		return InvalidField("instructions", "are empty; say how the agent works and what it hands back")
	case len(a.Instructions) > MaxAgentInstructions:
		return InvalidField("instructions", "have %d bytes; at most %d are allowed", len(a.Instructions), MaxAgentInstructions)
	case !plain(a.Instructions, "\n\t"):
		return InvalidField("instructions", "have characters that cannot be shown; use printable text")
	case len(a.Model) > maxAgentModel || !plain(a.Model, ""):
		return InvalidField("model", "is not the name of a model; leave it empty for the model of the run")
	case a.Mode != "" && !a.Mode.Valid():
		return InvalidField("mode", "%q is not allowed; allowed: %s, %s, %s, or empty for that of the conversation", a.Mode, ModeDefault, ModeAutoEdit, ModeYolo)
	case len(a.Tools) > maxAgentTools:
		return InvalidField("tools", "are %d; at most %d are allowed", len(a.Tools), maxAgentTools)
	}
	for i, tool := range a.Tools {
		if !toolName.MatchString(tool) {
			return InvalidField("tools", "%q is not the name of a tool; the tools page lists them", Clip(tool, 64))
		}
		if slices.Contains(a.Tools[:i], tool) {
			return InvalidField("tools", "has %s twice; name each tool once", tool)
		}
	}
	if err := a.Knowledge.Check("knowledge"); err != nil {
		return err
	}
	return a.Limits.check()
}

func (l AgentLimits) check() error {
	switch {
	case l.Steps < 0 || l.Steps > maxAgentSteps:
		return InvalidField("limits.steps", "is %d; allowed: 0 (that of the run) to %d", l.Steps, maxAgentSteps)
	case l.DurationMS < 0 || l.DurationMS > maxAgentDuration.Milliseconds():
		return InvalidField("limits.durationMs", "is %d; allowed: 0 (that of the run) to %d", l.DurationMS, maxAgentDuration.Milliseconds())
	case l.Tokens < 0 || l.Tokens > maxAgentTokens:
		return InvalidField("limits.tokens", "is %d; allowed: 0 (that of the run) to %d", l.Tokens, maxAgentTokens)
	case l.CostMicros < 0 || l.CostMicros > maxAgentCost:
		return InvalidField("limits.costMicros", "is %d; allowed: 0 (that of the run) to %d", l.CostMicros, int64(maxAgentCost))
	}
	return nil
}

// plain reports whether a text is valid and has no control characters but those allowed.
func plain(text, allowed string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune(allowed, r)
	})
}

// SameAs reports whether two definitions say the same, whatever their version and source.
func (a Agent) SameAs(b Agent) bool {
	return a.Name == b.Name && a.Purpose == b.Purpose && a.Instructions == b.Instructions && a.Model == b.Model && a.Mode == b.Mode &&
		a.Limits == b.Limits && (a.Tools == nil) == (b.Tools == nil) && slices.Equal(a.Tools, b.Tools) &&
		(a.Knowledge == nil) == (b.Knowledge == nil) && slices.Equal(a.Knowledge, b.Knowledge)
}

// Stricter is the mode of two that lets less pass unasked; "" says nothing.
func Stricter(a, b ApprovalMode) ApprovalMode {
	for _, m := range []ApprovalMode{ModeDefault, ModeAutoEdit, ModeYolo} {
		if a == m || b == m {
			return m
		}
	}
	return ""
}
