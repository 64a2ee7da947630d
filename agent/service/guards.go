package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// Guards are the commands about the breakers of all runs.
type Guards struct {
	Store GuardStore
	// Approvals knows who may decide one.
	Approvals *Approvals
	// Settings are the breakers' settings of the process, Detectors all there are.
	Settings  agent.GuardSettings
	Detectors []agent.Detector
	// Replay tries other settings on past runs; nil where none are kept.
	Replay func(context.Context, agent.BacktestQuery) (agent.BacktestResult, error)
	// Search finds changes that would have spared false alarms; nil where no runs are kept.
	Search func(context.Context, agent.LearningQuery) (agent.LearningSearch, error)
	Clock  agent.Clock
	NewID  agent.NewID
}

// StatDays is how many days back the sums of the detectors look.
const StatDays = 30

// DetectorStatus is a detector with what it said in the last StatDays days.
type DetectorStatus struct {
	Name        string `json:"name"`
	Catches     string `json:"catches"`
	On          bool   `json:"on"`
	Warnings    int64  `json:"warnings"`
	Pauses      int64  `json:"pauses"`
	Stops       int64  `json:"stops"`
	Off         int64  `json:"off"`
	Tokens      int64  `json:"tokens"`
	CostMicros  int64  `json:"costMicros"`
	SavedTokens int64  `json:"savedTokens"`
	SavedMicros int64  `json:"savedMicros"`
}

// GuardNumberStatus is a number of the breakers as it is in effect.
type GuardNumberStatus struct {
	Key   string `json:"key"`
	Value string `json:"value"` // in effect
	// Default is what the process is configured with.
	Default       string `json:"default"`
	Most          string `json:"most"`
	Allowed       string `json:"allowed"`
	Help          string `json:"help"`
	Detector      string `json:"detector"`
	Conversations bool   `json:"conversations"` // a conversation may set it for itself
}

// Status lists all detectors with what they said of late.
func (s *Guards) Status(ctx context.Context, config agent.GuardConfig) ([]DetectorStatus, error) {
	stats, err := s.Store.GuardStats(ctx, s.Clock.Now().Add(-StatDays*24*time.Hour), s.Clock.Now().Add(time.Minute))
	if err != nil {
		return nil, err
	}
	off := config.Effective(s.Settings, nil).Off
	all := make([]DetectorStatus, len(s.Detectors))
	for i, d := range s.Detectors {
		v := DetectorStatus{Name: d.Name, Catches: d.Catches, On: !slices.Contains(off, d.Name)}
		if at := slices.IndexFunc(stats, func(g agent.GuardStat) bool { return g.Detector == d.Name }); at >= 0 {
			g := stats[at]
			v.Warnings, v.Pauses, v.Stops, v.Off = g.Warnings, g.Pauses, g.Stops, g.Off
			v.Tokens, v.CostMicros, v.SavedTokens, v.SavedMicros = g.Tokens, g.CostMicros, g.SavedTokens, g.SavedMicros
		}
		all[i] = v
	}
	return all, nil
}

// Numbers lists all numbers of the breakers.
func (s *Guards) Numbers(config agent.GuardConfig) []GuardNumberStatus {
	effective := config.Effective(s.Settings, nil)
	all := make([]GuardNumberStatus, len(agent.GuardNumbers))
	for i, n := range agent.GuardNumbers {
		all[i] = GuardNumberStatus{
			Key: n.Key, Value: n.Of(effective), Default: n.Of(s.Settings), Most: config.Numbers[n.Key].Most,
			Allowed: n.Allowed(), Help: n.Help, Detector: n.Detector,
			Conversations: slices.Contains(agent.ConversationNumbers, n.Key),
		}
	}
	return all
}

// SetNumber sets one number for all runs, from the next run on. Empty texts go
// back to the configuration of the process.
func (s *Guards) SetNumber(ctx context.Context, v agent.Viewer, key string, o agent.GuardOverride) (GuardNumberStatus, error) {
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return GuardNumberStatus{}, err
	}
	o = agent.GuardOverride{Value: strings.TrimSpace(o.Value), Most: strings.TrimSpace(o.Most)}
	if err := config.CheckNumber(s.Settings, key, o); err != nil {
		return GuardNumberStatus{}, err
	}
	n, _ := agent.FindGuardNumber(key)
	if err := s.Store.SetGuardNumber(ctx, v.Email, n.Key, o); err != nil {
		return GuardNumberStatus{}, err
	}
	if config, err = s.Store.GuardConfig(ctx); err != nil {
		return GuardNumberStatus{}, err
	}
	all := s.Numbers(config)
	i := slices.IndexFunc(all, func(v GuardNumberStatus) bool { return v.Key == n.Key })
	return all[i], nil
}

// Switch turns a detector on or off from the next run on. NotFound where there is none.
func (s *Guards) Switch(ctx context.Context, v agent.Viewer, name string, on bool) error {
	if err := s.CheckDetector(name); err != nil {
		return err
	}
	return s.Store.SetGuardSwitch(ctx, v.Email, name, on)
}

// CheckDetector answers NotFound for a name that no detector has.
func (s *Guards) CheckDetector(name string) error {
	if slices.ContainsFunc(s.Detectors, func(d agent.Detector) bool { return d.Name == name }) {
		return nil
	}
	return agent.Errorf(agent.NotFound, "There is no detector %s.", agent.Clip(name, 60))
}

// maxRuleName bounds the names of tools and fields in a rule, in bytes.
const maxRuleName = 200

// AddRule puts a rule that an admin wrote in force, in place of the one that its
// tool has. The tool need not be known: rules may come before their tools.
func (s *Guards) AddRule(ctx context.Context, v agent.Viewer, rule agent.ToolRule) (agent.GuardRule, error) {
	g := agent.GuardRule{
		ID: s.NewID(), ToolRule: tidyRule(rule), State: agent.RuleActive, Actor: v.Email, At: agent.Stamp(s.Clock),
	}
	if err := checkRule(g.ToolRule); err != nil {
		return g, err
	}
	return g, s.Store.SaveRule(ctx, g)
}

// AcceptRule activates a proposed rule; Conflict if it was already accepted or dismissed.
func (s *Guards) AcceptRule(ctx context.Context, v agent.Viewer, id string) (*agent.GuardRule, error) {
	g, err := s.Store.GuardRule(ctx, id)
	if err != nil {
		return nil, err
	}
	switch g.State {
	case agent.RuleActive:
		return nil, agent.Errorf(agent.Conflict, "The rule for %s is already active.", g.Tool)
	case agent.RuleDismissed:
		return nil, agent.Errorf(agent.Conflict, "The rule for %s was dismissed in the meantime.", g.Tool)
	case agent.RuleProposed:
	}
	g.State, g.Actor, g.At = agent.RuleActive, v.Email, agent.Stamp(s.Clock)
	return g, s.Store.SaveRule(ctx, *g)
}

// DismissRule takes a rule out of force, or a proposal off the list, and
// returns it as it was.
func (s *Guards) DismissRule(ctx context.Context, v agent.Viewer, id string) (*agent.GuardRule, error) {
	g, err := s.Store.GuardRule(ctx, id)
	if err != nil {
		return nil, err
	}
	return g, s.Store.DismissRule(ctx, v.Email, g.ID)
}

// tidyRule drops blanks around names, and names that are blank.
func tidyRule(r agent.ToolRule) agent.ToolRule {
	r.Tool = strings.TrimSpace(r.Tool)
	r.Identity, r.Volatile = tidyNames(r.Identity), tidyNames(r.Volatile)
	return r
}

func tidyNames(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// checkRule checks a rule against its bounds; each error names the field.
func checkRule(r agent.ToolRule) error {
	if err := r.Check(); err != nil {
		return err
	}
	tooLong := func(name string) bool { return len(name) > maxRuleName }
	switch {
	case tooLong(r.Tool):
		return agent.InvalidField("tool", "has %d bytes; at most %d are allowed", len(r.Tool), maxRuleName)
	case slices.ContainsFunc(r.Identity, tooLong):
		return agent.InvalidField("identity", "has a name that is too long; at most %d bytes are allowed", maxRuleName)
	case slices.ContainsFunc(r.Volatile, tooLong):
		return agent.InvalidField("volatile", "has a name that is too long; at most %d bytes are allowed", maxRuleName)
	case r.Warning > 0 && r.Critical > 0 && r.Critical <= r.Warning:
		return agent.InvalidField("critical", "is %d; it must be above warning, %d", r.Critical, r.Warning)
	}
	return nil
}

// NotLoop marks a decided loop approval as not a loop, and proposes
// the rule that would have prevented it. Forbidden for people who may not
// decide it, Conflict for other approvals and for what is noted already.
func (s *Guards) NotLoop(ctx context.Context, v agent.Viewer, approvalID string) (agent.GuardRule, error) {
	a, err := s.Approvals.Store.Approval(ctx, v, approvalID)
	if err != nil {
		return agent.GuardRule{}, err
	}
	switch {
	case !s.Approvals.MayDecide(v, *a):
		return agent.GuardRule{}, agent.Errorf(agent.Forbidden, "Only people who may decide this approval can mark it as not a loop.")
	case a.Kind != agent.KindLoop:
		return agent.GuardRule{}, agent.Errorf(agent.Conflict, "This approval is not about a loop.")
	case a.Status != agent.ApprovalDecided:
		return agent.GuardRule{}, agent.Errorf(agent.Conflict, "Decide the approval first, then mark it as not a loop.")
	}
	g := agent.GuardRule{
		ID: s.NewID(), ToolRule: agent.ProposedRule(*a), State: agent.RuleProposed,
		ApprovalID: a.ID, Actor: v.Email, At: agent.Stamp(s.Clock),
	}
	return g, s.Store.ProposeRule(ctx, g)
}
