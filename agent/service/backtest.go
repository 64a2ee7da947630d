package service

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
)

// Backtest tries other settings on past runs. Errors name the fields
// numbers.KEY and rule.FIELD. Nothing is executed and nothing changes.
func (s *Guards) Backtest(ctx context.Context, q agent.BacktestQuery) (agent.BacktestResult, error) {
	if s.Replay == nil {
		return agent.BacktestResult{}, agent.Errorf(agent.Unavailable, "This server does not keep past runs, so settings cannot be tried on them.")
	}
	q.Rule = tidyRule(q.Rule)
	if q.Rule.Tool != "" || !q.Rule.Empty() {
		if err := checkRule(q.Rule); err != nil {
			return agent.BacktestResult{}, under("rule", err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(q.Numbers)) {
		n, ok := agent.FindGuardNumber(key)
		if !ok {
			return agent.BacktestResult{}, agent.InvalidField("numbers."+key, "is not a breaker setting; GET /api/v1/guards lists them")
		}
		if _, err := n.Parse(q.Numbers[key]); err != nil {
			return agent.BacktestResult{}, agent.InvalidField("numbers."+key, "%q is not allowed; allowed: %s", q.Numbers[key], n.Allowed())
		}
	}
	result, err := s.Replay(ctx, q)
	if result.New == nil {
		result.New = []agent.BacktestChange{}
	}
	if result.Gone == nil {
		result.Gone = []agent.BacktestChange{}
	}
	return result, under("numbers", err)
}

// under prefixes the fields of an error with the object they are in.
func under(object string, err error) error {
	var e *agent.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return err
	}
	inside := *e
	inside.Fields = slices.Clone(e.Fields)
	for i, f := range inside.Fields {
		inside.Fields[i].Field = object + "." + f.Field
		if rest, named := strings.CutPrefix(inside.Message, f.Field+": "); named {
			inside.Message = inside.Fields[i].Field + ": " + rest
		}
	}
	return &inside
}

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
