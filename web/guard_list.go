package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// guardDays is how many days back the sums of the detectors look.
const guardDays = 30

// detectorView is a detector as the API shows it, with the sums of 30 days.
type detectorView struct {
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

// numberView is a number of the breakers as the API shows it.
type numberView struct {
	Key   string `json:"key"`
	Value string `json:"value"` // what holds
	// Default is what the process is configured with.
	Default       string `json:"default"`
	Most          string `json:"most"`
	Allowed       string `json:"allowed"`
	Help          string `json:"help"`
	Detector      string `json:"detector"`
	Conversations bool   `json:"conversations"` // a conversation may set it for itself
}

// guardList is GET /api/v1/guards.
func (s *Server) guardList(c echo.Context) error {
	ctx := c.Request().Context()
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return err
	}
	detectors, err := s.detectors(ctx, config)
	if err != nil {
		return err
	}
	rules, err := s.Store.GuardRules(ctx)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Detectors []detectorView    `json:"detectors"`
		Numbers   []numberView      `json:"numbers"`
		Rules     []agent.GuardRule `json:"rules"`
	}{detectors, s.guardNumbers(config), notNull(rules)})
}

// detectors lists all detectors with what they said in the last 30 days.
func (s *Server) detectors(ctx context.Context, config agent.GuardConfig) ([]detectorView, error) {
	stats, err := s.Store.GuardStats(ctx, s.Clock.Now().Add(-guardDays*24*time.Hour), s.Clock.Now().Add(time.Minute))
	if err != nil {
		return nil, err
	}
	off := config.Effective(s.Guards, nil).Off
	views := make([]detectorView, len(s.Detectors))
	for i, d := range s.Detectors {
		v := detectorView{Name: d.Name, Catches: d.Catches, On: !slices.Contains(off, d.Name)}
		if at := slices.IndexFunc(stats, func(g agent.GuardStat) bool { return g.Detector == d.Name }); at >= 0 {
			g := stats[at]
			v.Warnings, v.Pauses, v.Stops, v.Off = g.Warnings, g.Pauses, g.Stops, g.Off
			v.Tokens, v.CostMicros, v.SavedTokens, v.SavedMicros = g.Tokens, g.CostMicros, g.SavedTokens, g.SavedMicros
		}
		views[i] = v
	}
	return views, nil
}

// guardNumbers lists all numbers of the breakers as they hold.
func (s *Server) guardNumbers(config agent.GuardConfig) []numberView {
	effective := config.Effective(s.Guards, nil)
	views := make([]numberView, len(agent.GuardNumbers))
	for i, n := range agent.GuardNumbers {
		views[i] = numberView{
			Key: n.Key, Value: n.Of(effective), Default: n.Of(s.Guards), Most: config.Numbers[n.Key].Most,
			Allowed: n.Allowed(), Help: n.Help, Detector: n.Detector,
			Conversations: slices.Contains(agent.ConversationNumbers, n.Key),
		}
	}
	return views
}

// notNull makes a list that is empty one that JSON writes as such.
func notNull[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
