package agent

import (
	"maps"
	"slices"
	"strings"
	"time"

	"fusebox/agent/fingerprint"
)

// GuardConfig is what admins have changed about the breakers, on top of the
// configuration of the process.
type GuardConfig struct {
	// Numbers are changed numbers by their key.
	Numbers map[string]GuardOverride `json:"numbers,omitempty"`
	// Switches turn detectors on (true) or off (false) whatever the configuration says.
	Switches map[string]bool `json:"switches,omitempty"`
	Rules    []ToolRule      `json:"rules,omitempty"`
}

// GuardOverride is a number as an admin has set it. Most is how far up a
// conversation may set its own; "" means no further than the number itself.
type GuardOverride struct {
	Value string `json:"value,omitempty"`
	Most  string `json:"most,omitempty"`
}

// ToolRule changes how the guards see one tool. Zero fields change nothing.
type ToolRule struct {
	Tool     string   `json:"tool"`
	Polling  bool     `json:"polling,omitempty"`
	Identity []string `json:"identity,omitempty"`
	Volatile []string `json:"volatile,omitempty"`
	Warning  int      `json:"warning,omitempty"`
	Critical int      `json:"critical,omitempty"`
}

// ConversationNumbers are the numbers that a conversation may set for itself.
var ConversationNumbers = []string{
	"guard.warning", "guard.critical", "guard.cycle_warning", "guard.cycle_critical", "guard.similar_warning",
	"guard.similar_critical", "guard.max_steps", "guard.max_duration", "guard.max_consecutive_errors",
}

// Effective are the settings that apply to a conversation: those of the
// process, changed by admins, changed by the conversation within its bounds.
// A value that does not parse any more changes nothing.
func (c GuardConfig) Effective(base GuardSettings, own map[string]string) GuardSettings {
	s := base
	s.Off = slices.DeleteFunc(slices.Clone(base.Off), func(name string) bool { return c.Switches[name] })
	for name, on := range c.Switches {
		if !on && !slices.Contains(s.Off, name) {
			s.Off = append(s.Off, name)
		}
	}
	slices.Sort(s.Off)
	for key, o := range c.Numbers {
		if o.Value != "" {
			_ = s.Set(key, o.Value)
		}
	}
	admins := s
	for key, value := range own {
		if c.CheckOwn(admins, key, value) == nil {
			_ = s.Set(key, value)
		}
	}
	return s
}

// CheckOwn checks a conversation's own setting against what admins allow. base
// are the settings without it. Invalid names the field guards.KEY.
func (c GuardConfig) CheckOwn(base GuardSettings, key, value string) error {
	field := "guards." + key
	n, ok := FindGuardNumber(key)
	if !ok || !slices.Contains(ConversationNumbers, n.Key) {
		return InvalidField(field, "is not a setting that a conversation can change; allowed: %s", strings.Join(ConversationNumbers, ", "))
	}
	v, err := n.Parse(value)
	if err != nil {
		return InvalidField(field, "%q is not allowed; allowed: %s", value, n.Allowed())
	}
	most := n.Of(base)
	if o := c.Numbers[n.Key]; o.Most != "" {
		most = o.Most
	}
	if limit, err := n.Parse(most); err != nil || v > limit {
		return InvalidField(field, "%q is more than an admin allows here; at most %s", value, most)
	}
	return nil
}

// Rule returns the rule for a tool; a rule that changes nothing where there is none.
func (c GuardConfig) Rule(tool string) ToolRule {
	i := slices.IndexFunc(c.Rules, func(r ToolRule) bool { return r.Tool == tool })
	if i < 0 {
		return ToolRule{Tool: tool}
	}
	return c.Rules[i]
}

// Apply changes what a tool declares of itself.
func (r ToolRule) Apply(spec ToolSpec) ToolSpec {
	spec.Polling = spec.Polling || r.Polling
	if len(r.Identity) > 0 {
		spec.Identity = r.Identity
	}
	if len(r.Volatile) > 0 {
		spec.Volatile = append(slices.Clone(spec.Volatile), r.Volatile...)
	}
	return spec
}

// Empty reports whether the rule changes nothing.
func (r ToolRule) Empty() bool {
	return !r.Polling && len(r.Identity) == 0 && len(r.Volatile) == 0 && r.Warning == 0 && r.Critical == 0
}

const maxRuleFields = 20

// Check checks a rule against its bounds; each error names the field.
func (r ToolRule) Check() error {
	switch {
	case r.Tool == "":
		return InvalidField("tool", "is missing; name the tool that the rule is for")
	case len(r.Identity) > maxRuleFields:
		return InvalidField("identity", "has %d fields; at most %d are allowed", len(r.Identity), maxRuleFields)
	case len(r.Volatile) > maxRuleFields:
		return InvalidField("volatile", "has %d fields; at most %d are allowed", len(r.Volatile), maxRuleFields)
	case r.Warning != 0 && (r.Warning < 2 || r.Warning > 1000):
		return InvalidField("warning", "is %d; allowed: 2 to 1000, or 0 for the default", r.Warning)
	case r.Critical != 0 && (r.Critical < 2 || r.Critical > 1000):
		return InvalidField("critical", "is %d; allowed: 2 to 1000, or 0 for the default", r.Critical)
	case r.Empty():
		return InvalidField("rule", "changes nothing; set polling, identity, volatile, warning or critical")
	}
	return nil
}

// CheckNumber checks a change that an admin makes against the bounds of the
// number, and the settings that come of it against each other. base are the
// settings of the process. Invalid names the field value or most.
func (c GuardConfig) CheckNumber(base GuardSettings, key string, o GuardOverride) error {
	n, ok := FindGuardNumber(key)
	if !ok {
		return Errorf(NotFound, "Unknown setting %s.", key)
	}
	changed := c
	changed.Numbers = maps.Clone(c.Numbers)
	if changed.Numbers == nil {
		changed.Numbers = map[string]GuardOverride{}
	}
	changed.Numbers[n.Key] = o
	for field, text := range map[string]string{"value": o.Value, "most": o.Most} {
		if text == "" {
			continue
		}
		if _, err := n.Parse(text); err != nil {
			return InvalidField(field, "%q is not allowed; allowed: %s", text, n.Allowed())
		}
	}
	if o.Most != "" && !slices.Contains(ConversationNumbers, n.Key) {
		return InvalidField("most", "is only for settings that conversations can change: %s", strings.Join(ConversationNumbers, ", "))
	}
	if err := changed.Effective(base, nil).Check(); err != nil {
		return InvalidField("value", "%s", MessageOf(err))
	}
	return nil
}

// RuleState is the state of a rule for a tool.
type RuleState string

// The states of rules. One rule of a tool is active at most.
const (
	RuleProposed  RuleState = "proposed"
	RuleActive    RuleState = "active"
	RuleDismissed RuleState = "dismissed"
)

// GuardRule is a rule for a tool with where it comes from.
type GuardRule struct {
	ID string `json:"id"`
	ToolRule
	State RuleState `json:"state"`
	// ApprovalID is the approval that was marked as not a loop, "" for a rule that an admin wrote.
	ApprovalID string    `json:"approvalId,omitempty"`
	Actor      string    `json:"actor"` // e-mail address
	At         time.Time `json:"at"`
}

// GuardStat is what one detector said in some time.
type GuardStat struct {
	Detector    string `json:"detector"`
	Warnings    int64  `json:"warnings"`
	Pauses      int64  `json:"pauses"`
	Stops       int64  `json:"stops"`
	Off         int64  `json:"off"` // what it would have said while it was switched off
	Tokens      int64  `json:"tokens"`
	CostMicros  int64  `json:"costMicros"`
	SavedTokens int64  `json:"savedTokens"` // an estimate, see VerdictRecord
	SavedMicros int64  `json:"savedMicros"`
}

// PastRun is a run as a backtest replays it.
type PastRun struct {
	ID             string
	ConversationID string
	Title          string
	OwnerEmail     string
	Steps          int
	CreatedAt      time.Time
	Compacted      int
	Calls          []ToolCall
	Answers        []PastAnswer
}

// PastAnswer is the text of one answer of a past run.
type PastAnswer struct {
	MessageID string
	Content   string
}

// ProposedRule is the rule that would have prevented a loop approval: where
// results changed, or calls took turns, the tool is polling; else its own
// thresholds are twice as far as the streak went. An approval that is about no call
// proposes nothing, which is an empty rule.
func ProposedRule(a Approval) ToolRule {
	ev, err := a.LoopEvidence()
	if a.Kind != KindLoop || a.ToolName == "" || err != nil {
		return ToolRule{}
	}
	rule := ToolRule{Tool: a.ToolName}
	switch {
	case ev.Detector == "ping_pong", ev.Detector == "cycle", ev.Detector == "generic_repeat" && resultsChange(ev):
		rule.Polling = true
	default:
		rule.Warning, rule.Critical = min(max(ev.Count, 2), 999), min(max(2*ev.Count, 3), 1000)
	}
	return rule
}

func resultsChange(ev LoopEvidence) bool {
	seen := ""
	for _, c := range ev.Calls {
		if c.Blocked {
			continue
		}
		fp := fingerprint.Result(c.Result, nil) + ImageNames(c.Images)
		if seen != "" && fp != seen {
			return true
		}
		seen = fp
	}
	return false
}
