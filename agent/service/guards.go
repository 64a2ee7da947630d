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
	// Runs knows who may decide an approval.
	Runs *Runs
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
