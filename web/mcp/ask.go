package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/agent/service"
)

var askTool = &sdk.Tool{
	Name:  "ask",
	Title: "Ask Fusebox",
	Description: "Give the agent a task and wait for its answer. A call waits up to 50 seconds, and 5 where the run waits for a person. " +
		"If `status` is then `queued`, `running`, or `paused`, call again with the same `conversationId` and an empty `message` to go on waiting. " +
		"Cancelling the call that began a run aborts the run.",
	Annotations: &sdk.ToolAnnotations{Title: "Ask Fusebox"},
}

type askInput struct {
	Message        string         `json:"message" jsonschema:"the task, or empty to wait for the newest run of the conversation"`
	ConversationID string         `json:"conversationId,omitempty" jsonschema:"one of your conversations to go on with; leave it out to begin a new one"`
	Workflow       string         `json:"workflow,omitempty" jsonschema:"the name of the workflow that answers this message; leave it out for that of the conversation"`
	Inputs         map[string]any `json:"inputs,omitempty" jsonschema:"what is filled in for the workflow, by the names of its inputs"`
}

// asked is a run that a call waits for. Who began it aborts it by cancelling.
type asked struct {
	conversationID, runID string
	after                 int64 // the last event before it
	paused, began         bool
}

// ask begins a run, or finds the newest, and waits for it.
func (s *Server) ask(ctx context.Context, c call, in askInput) (*sdk.CallToolResult, *outcome, error) {
	ended, done, err := s.sessions.begin(c.session)
	if err != nil {
		return nil, nil, agent.Wrap(agent.Unavailable, err, "%v", err)
	}
	defer done()
	run, err := s.runFor(ctx, c, in)
	if err != nil {
		return nil, nil, explained(err)
	}
	if run.after >= 0 {
		s.wait(ctx, ended, c, run)
	}
	if cancelled(ctx) && run.began {
		return nil, nil, s.abort(ctx, c, run.runID)
	}
	out, err := s.outcome(context.WithoutCancel(ctx), c, run.runID)
	if err != nil {
		return nil, nil, err
	}
	res := text(out.text())
	res.IsError = out.Status == agent.StatusFailed
	return res, out, nil
}

// cancelled reports whether the caller has cancelled a call. A session or server that
// ends gives another cause.
func cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), context.Canceled) }

const abortTime = 10 * time.Second

func (s *Server) abort(ctx context.Context, c call, runID string) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer stop()
	if err := s.Runs.Abort(ctx, c.viewer, runID); err != nil {
		return err
	}
	return agent.Errorf(agent.Conflict, "The call was cancelled, and its run aborted.")
}

func (s *Server) runFor(ctx context.Context, c call, in askInput) (asked, error) {
	switch {
	case strings.TrimSpace(in.Message) == "" && in.ConversationID == "":
		return asked{}, agent.InvalidField("message", "is empty; write what to do, or name a conversationId to wait for its newest run")
	case strings.TrimSpace(in.Message) == "":
		return s.newestRun(ctx, c, in.ConversationID)
	case in.ConversationID == "":
		return s.begin(ctx, c, in)
	}
	conv, err := s.Conversations.Own(ctx, c.viewer, in.ConversationID)
	if err != nil {
		return asked{}, err
	}
	return s.post(ctx, c, conv.ID, conv.LastSeq, in)
}

// begin posts the first message of a new conversation.
func (s *Server) begin(ctx context.Context, c call, in askInput) (run asked, err error) {
	_, err = s.Conversations.Start(ctx, c.viewer, agent.ConversationPatch{}, func(id string) error {
		run, err = s.post(ctx, c, id, 0, in)
		return err
	})
	return run, err
}

// post begins a run. It is not cancelled: whether there is a run must be known.
func (s *Server) post(ctx context.Context, c call, conversationID string, lastSeq int64, in askInput) (asked, error) {
	p := service.Post{ConversationID: conversationID, Content: in.Message, Workflow: in.Workflow, Inputs: map[string]json.RawMessage{}}
	for name, value := range in.Inputs {
		p.Inputs[name] = agent.MustJSON(value)
	}
	made, err := s.Messages.Post(context.WithoutCancel(ctx), c.viewer, p)
	return asked{conversationID: conversationID, runID: made.RunID, after: lastSeq, began: true}, err
}

// newestRun is the one that is active in a conversation of the caller, or else the last one of the branch that
// is chosen. The log is read on from before the run was looked at, so that no end is missed.
func (s *Server) newestRun(ctx context.Context, c call, conversationID string) (asked, error) {
	conv, err := s.Conversations.Own(ctx, c.viewer, conversationID)
	if err != nil {
		return asked{}, err
	}
	run, err := s.Store.ActiveRun(ctx, conv.ID)
	if agent.CodeOf(err) == agent.NotFound {
		run, err = s.lastOfBranch(ctx, c, conv.ID)
	}
	if err != nil {
		return asked{}, err
	}
	cards, err := s.cards(ctx, c, run.ID)
	if err != nil {
		return asked{}, err
	}
	found := asked{conversationID: conv.ID, runID: run.ID, after: conv.LastSeq, paused: len(cards) > 0}
	if run.Status.Ended() {
		found.after = -1
	}
	return found, nil
}

func (s *Server) lastOfBranch(ctx context.Context, c call, conversationID string) (*agent.Run, error) {
	messages, err := s.Store.Messages(ctx, c.viewer, conversationID)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(messages) {
		if m.RunID != "" {
			return s.Store.Run(ctx, c.viewer, m.RunID)
		}
	}
	return nil, agent.InvalidField("message", "is empty, and this conversation has no run to wait for; write what to do")
}

// explained names the fields of ask, and what to do.
func explained(err error) error {
	switch fields := agent.FieldErrors(err); {
	case agent.CodeOf(err) == agent.NotFound:
		return agent.InvalidField("conversationId", "names no conversation of yours; leave it out to begin a new one")
	case agent.CodeOf(err) == agent.Forbidden:
		return agent.InvalidField("conversationId", "names another person's conversation; leave it out to begin a new one")
	case agent.CodeOf(err) == agent.Conflict:
		return agent.InvalidField("conversationId", "names a conversation whose run has not ended; send an empty message to wait for it")
	case fields["content"] != "":
		return agent.InvalidField("message", "%s", fields["content"])
	}
	return err
}
