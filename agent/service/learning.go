package service

import (
	"context"
	"time"

	"fusebox/agent"
)

// maxLearnedDecisions is how many decisions one look back reads.
const maxLearnedDecisions = 500

// Learning sums what people decided on the loop approvals of runs that began in a
// span, from included, to not. With search it also replays those runs, to find
// changes that would have spared false alarms. Nothing changes.
func (s *Guards) Learning(ctx context.Context, from, to time.Time, search bool) (agent.Learning, error) {
	decisions, err := s.Store.LoopDecisions(ctx, from, to, maxLearnedDecisions+1)
	if err != nil {
		return agent.Learning{}, err
	}
	more := len(decisions) > maxLearnedDecisions
	decisions = decisions[:min(len(decisions), maxLearnedDecisions)]
	learned := agent.Learning{Detectors: agent.SumLoopDecisions(decisions), More: more}
	if !search {
		return learned, nil
	}
	if s.Search == nil {
		return learned, agent.Errorf(agent.Unavailable, "This server does not keep past runs, so changes cannot be tried on them.")
	}
	found, err := s.Search(ctx, agent.LearningQuery{From: from, To: to, Decisions: decisions})
	learned.Search = &found
	return learned, err
}
