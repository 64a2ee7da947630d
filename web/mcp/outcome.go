package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fusebox/agent"
)

// cardPath is where a card is, without its id.
const cardPath = "/approvals/"

// outcome is how far a run has come.
type outcome struct {
	ConversationID string           `json:"conversationId"`
	RunID          string           `json:"runId"`
	Status         agent.Status     `json:"status" jsonschema:"queued, running, paused, finished, stopped, failed, or aborted"`
	StopReason     agent.StopReason `json:"stopReason,omitempty" jsonschema:"why the run has ended"`
	Answer         string           `json:"answer" jsonschema:"the answer, empty as long as the run has not ended"`
	Approvals      []card           `json:"approvals,omitempty" jsonschema:"what a person has to decide"`
}

// card is where a person decides.
type card struct {
	ID   string             `json:"id"`
	Kind agent.ApprovalKind `json:"kind"`
	URL  string             `json:"url"`
}

func (s *Server) outcome(ctx context.Context, c call, runID string) (*outcome, error) {
	run, err := s.Store.Run(ctx, c.viewer, runID)
	if err != nil {
		return nil, err
	}
	out := &outcome{ConversationID: run.ConversationID, RunID: run.ID, Status: run.Status, StopReason: run.StopReason}
	if !run.Status.Ended() {
		out.Approvals, err = s.cards(ctx, c, run.ID)
		return out, err
	}
	// The answer is the last text that the run has written, whichever branch of its conversation is chosen.
	events, err := s.Store.RunEvents(ctx, run.ID)
	for _, e := range slices.Backward(events) {
		if d, ok := e.Data.(agent.MessageEvent); ok && d.Message.Role == agent.FromAssistant && d.Message.Content != "" {
			out.Answer = d.Message.Content
			break
		}
	}
	return out, err
}

// cards are what a run and those below it wait for that the caller may see.
func (s *Server) cards(ctx context.Context, c call, runID string) ([]card, error) {
	tree, err := s.Store.Tree(ctx, runID)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range tree {
		if r.Status.Ended() {
			continue
		}
		open, err := s.Store.PendingApprovalIDs(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, open...)
	}
	var all []card
	for _, id := range ids {
		a, err := s.Store.Approval(ctx, c.viewer, id)
		if err != nil {
			return nil, err
		}
		all = append(all, card{ID: a.ID, Kind: a.Kind, URL: c.link(cardPath + a.ID)})
	}
	return all, nil
}

func (o *outcome) text() string {
	again := fmt.Sprintf("To go on waiting, call ask with the conversationId %q and an empty message.", o.ConversationID)
	switch {
	case o.Status == agent.StatusFinished && o.Answer != "":
		return o.Answer
	case o.Status.Ended():
		return strings.TrimSpace(fmt.Sprintf("The run has ended: %s (%s).\n\n%s", o.Status, o.StopReason, o.Answer))
	case len(o.Approvals) > 0:
		return "The run waits until a person decides:\n" + listed(o.Approvals) + "\n" + again
	case o.Status == agent.StatusPaused:
		return "The run waits for a person, or for other agents. " + again
	}
	return "The run is still working. " + again
}

func listed(cards []card) string {
	var b strings.Builder
	for _, c := range cards {
		fmt.Fprintf(&b, "- %s: %s\n", c.Kind, c.URL)
	}
	return b.String()
}
