package main

import (
	"context"
	"time"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/store"
)

// What one search for better thresholds may replay, and for how long.
const (
	maxLearningCalls = 100_000
	maxLearningTime  = 10 * time.Second
)

// learner searches past runs of a store for changes that would have spared
// false alarms. Where its time is up it answers with what it has replayed so far.
func learner(db *store.Store, base agent.GuardSettings, specs func() []agent.ToolSpec, limit time.Duration) func(context.Context, agent.LearningQuery) (agent.LearningSearch, error) {
	return func(ctx context.Context, q agent.LearningQuery) (agent.LearningSearch, error) {
		config, err := db.GuardConfig(ctx)
		if err != nil {
			return agent.LearningSearch{}, err
		}
		l := guards.NewLearning(guards.Setup{Settings: config.Effective(base, nil), Config: config}, knownSpecs(specs()), q.Decisions)
		if l.Empty() {
			return l.Result, nil
		}
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		l.Result.More, err = db.PastRuns(bounded, q.From, q.To, maxLearningCalls, l.Add)
		if err != nil && bounded.Err() != nil && ctx.Err() == nil {
			l.Result.More, err = true, nil
		}
		l.Finish()
		return l.Result, err
	}
}
