package service

import (
	"context"

	"fusebox/agent"
)

// MaxBulk bounds how many approvals are decided at once.
const MaxBulk = 100

// BulkItem is one approval of a bulk decision, as it was rendered.
type BulkItem struct {
	ID         string `json:"id"`
	Generation int    `json:"generation"`
	ArgsHash   string `json:"argsHash"`
}

// BulkResult is the outcome for one approval: Error is "" if it was decided.
type BulkResult struct {
	ID    string     `json:"id"`
	OK    bool       `json:"ok"`
	Code  agent.Code `json:"code,omitempty"`
	Error string     `json:"error,omitempty"`
}

// DecideMany approves or rejects an explicit list of approvals, each separately: one
// that fails fails alone. What is high or critical has to be looked at one by
// one, and nothing is covered beyond its own call. Invalid for a bad list.
func (s *Approvals) DecideMany(ctx context.Context, v agent.Viewer, items []BulkItem, verb agent.Verb, comment string) ([]BulkResult, error) {
	switch {
	case verb != agent.DecideApprove && verb != agent.DecideReject:
		return nil, agent.InvalidField("decision", "%q cannot be decided for many at once; allowed: approve, reject", verb)
	case len(items) == 0:
		return nil, agent.InvalidField("items", "is empty; choose at least one approval")
	case len(items) > MaxBulk:
		return nil, agent.InvalidField("items", "has %d approvals; at most %d at once", len(items), MaxBulk)
	}
	results := make([]BulkResult, len(items))
	for i, item := range items {
		results[i] = BulkResult{ID: item.ID, OK: true}
		if err := s.decideOne(ctx, v, item, verb, comment); err != nil {
			results[i] = BulkResult{ID: item.ID, Code: agent.CodeOf(err), Error: agent.MessageOf(err)}
		}
	}
	return results, nil
}

func (s *Approvals) decideOne(ctx context.Context, v agent.Viewer, item BulkItem, verb agent.Verb, comment string) error {
	a, err := s.Store.Approval(ctx, v, item.ID)
	if err != nil {
		return err
	}
	switch {
	case item.Generation == 0 || (item.ArgsHash == "" && a.ArgsHash != ""):
		return agent.InvalidField("items", "an item needs id, generation and argsHash as they were shown")
	case !a.Risk.AtMost(agent.RiskMedium):
		return agent.Errorf(agent.Invalid, "An approval of %s risk has to be opened and decided on its own.", a.Risk)
	}
	_, err = s.Decide(ctx, v, item.ID, agent.Decision{Verb: verb, Comment: comment, Generation: item.Generation, ArgsHash: item.ArgsHash})
	return err
}
