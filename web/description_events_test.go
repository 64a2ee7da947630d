package web_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"fusebox/agent"
)

// everyEvent is one event of each type, with every field set.
func everyEvent() []agent.EventData {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	usage := agent.Usage{Tokens: agent.Tokens{InputTokens: 4, CachedTokens: 1, OutputTokens: 3, ReasoningTokens: 2}, Estimated: true}
	limits := agent.Limits{Steps: 5, DurationMS: 1000, Tokens: 100, ConversationTokens: 200, CostMicros: 50}
	object := json.RawMessage(`{"command":"ls"}`)
	return []agent.EventData{
		agent.MessageEvent{Message: agent.Message{
			ID: "m", ParentID: "p", DocumentID: "d", Role: agent.FromAssistant, Content: "Yes.", Reasoning: "Hm.", ToolCallID: "c", RunID: "r",
			ToolCalls: []agent.CallRequest{{ID: "c", Name: "run_shell", Arguments: "{}"}},
			Usage:     &usage, ReasoningMS: 7, Pinned: true, SaidBy: "a", Steered: true, CreatedAt: at,
			Citations:        []agent.Citation{{N: 1, PassageID: "p", DocumentID: "d", URL: "https://example.org/", Name: "A page", Misquoted: true, DeletedAt: at, Replaced: true, Closed: true}},
			UnknownCitations: []string{"2"}, LinkHosts: []string{"example.org"}, Images: []agent.Image{{Name: "0.png", Type: "image/png", Bytes: 9}},
			Siblings: []string{"l", "m"}, Followers: []string{"n"},
		}},
		agent.RunStart{Model: "demo", Limits: limits, Workflow: "article", WorkflowVersion: 1, TakenOver: []string{"facts"}, Agent: "writer", AgentVersion: 2, Task: "Write.", ToolCallID: "c"},
		agent.StepStart{MessageID: "m"},
		agent.StepFinish{Usage: usage, CostMicros: 5, FinishReason: "stop", Unpriced: true},
		agent.TextDelta{ID: "m", Delta: "Y"},
		agent.ReasoningDelta{ID: "m", Delta: "H"},
		agent.MessageReset{ID: "m"},
		agent.ToolCallStart{ToolCallID: "c", ToolName: "run_shell"},
		agent.ToolCallDelta{ToolCallID: "c", Delta: "{"},
		agent.ToolCallStateEvent{ToolCallID: "c", State: agent.CallExecuting, Rule: agent.Authority{Kind: agent.AuthorityScope, ID: "a", Scope: agent.ScopeRun}},
		agent.ToolResultDelta{ToolCallID: "c", Delta: "out"},
		agent.ToolCallResult{ToolCallID: "c", Result: "out", ErrorType: agent.ErrTimeout, Truncated: true, Images: []agent.Image{{Name: "0.png", Type: "image/png", Bytes: 9}}},
		agent.RetryEvent{Attempt: 1, MaxAttempts: 3, DelayMS: 10, Status: 503, Message: "Busy."},
		agent.FallbackEvent{Reason: "whole", Attempt: 1, Model: "other"},
		agent.GuardEvent{Level: "warning", Detector: "generic_repeat", Count: 3, Message: "Again.", Evidence: object},
		agent.BudgetEvent{
			Level: "warning", BudgetID: "b", SubjectName: "Ana", ResetsAt: at, Scope: "user_day",
			UsedTokens: 1, LimitTokens: 2, UsedMicros: 3, LimitMicros: 4,
		},
		agent.ApprovalRequestedEvent{
			ApprovalID: "a", Kind: agent.KindTool, ToolCallID: "c", Risk: agent.RiskHigh, Message: "It runs a program.",
			Options: []agent.Option{{ID: "o", Label: "One"}}, ArgsHash: "0123456789abcdef", Generation: 1, Evidence: object, ExpiresAt: at,
			Needs: 2, Votes: []agent.Vote{{By: "rex@example.org", At: at, Comment: "Fine."}}, Pattern: agent.Pattern{"command": "ls *"},
			Author: "rex@example.org", Args: object, OriginalArgs: object,
			Agent: "writer", Path: []agent.PathStep{{RunID: "r", Agent: "lead", Workflow: "article", Task: "Write."}},
		},
		agent.ApprovalDecidedEvent{
			ApprovalID: "a", Kind: string(agent.KindTool), ToolCallID: "c", Decision: "approve", DecidedBy: "rex@example.org", Comment: "Fine.",
			UndoUntil: at, Scope: agent.ScopeRun, Covers: agent.Pattern{"command": "ls *"}, Answer: "yes",
		},
		agent.RunPaused{ApprovalIDs: []string{"a"}, Children: []string{"k"}},
		agent.RunResumed{By: "rex@example.org"},
		agent.Notice{
			Message: "Shortened.", Detail: "All of it.", RevokedID: "a", RevokedBy: "rex@example.org", ChildRunID: "k",
			Cut: []agent.CutResult{{RunID: "r", ToolCallID: "c", ToolName: "run_shell", Characters: 9}},
		},
		agent.PlanEvent{Steps: []agent.PlanStep{
			{Step: "Look.", Status: agent.PlanCompleted, Note: "Quickly."}, {Step: "Ask.", Status: agent.PlanBlocked},
			{Step: "Write.", Status: agent.PlanInProgress}, {Step: "Send.", Status: agent.PlanNotStarted},
		}},
		agent.BranchEvent{LeafID: "m"},
		agent.MessageDeletedEvent{MessageID: "m", LeafID: "p", Deleted: 2},
		agent.QueueEvent{Held: true, Items: []agent.QueuedItem{{ID: "q", Content: "Next.", Cut: true, DocumentID: "d", Agent: "writer", SteersRunID: "r", GoesIn: agent.AfterAgents, CreatedAt: at}}},
		agent.ErrorEvent{Message: "No answer.", ErrorType: "provider_error", Retryable: true, Status: 429},
		agent.Finish{
			Status: agent.StatusFinished, StopReason: agent.StopGoal, Model: "demo", Usage: usage, CostMicros: 5,
			ToolCalls: 2, ToolReturns: 1, FallbackUsed: true, Message: "Done.",
		},
	}
}

// TestEveryEventIsDescribed: each type of event, with all its fields, comes as
// described by NDJSON and by the socket.
func TestEveryEventIsDescribed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ana := s.user("ana@example.org", agent.RoleUser)
	run := s.started(ana, "a")
	var events []agent.Event
	for _, data := range everyEvent() {
		for _, path := range unset(reflect.ValueOf(data), agent.Event{Data: data}.Type()) {
			t.Errorf("%s is not set", path)
		}
		events = append(events, agent.Event{Data: data})
	}
	s.append(run, agent.Change{Events: events})
	c := s.client(ana)
	log := c.call(http.MethodGet, "/api/v1/conversations/"+run.ConversationID+"/events?follow=false", "").body
	conn, _ := c.dial("/ws/conversations/" + run.ConversationID)
	for _, frame := range read(t, conn, bytes.Count([]byte(log), []byte("\n"))) {
		if err := checked.CheckEvent([]byte(frame)); err != nil {
			t.Error(err)
		}
	}
}

// unset lists the fields of a value that are zero and sent as JSON.
func unset(v reflect.Value, path string) []string {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return unset(v.Elem(), path)
		}
	case reflect.Slice:
		if v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct {
			return unset(v.Index(0), path+"[0]")
		}
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[time.Time]() {
			return unsetFields(v, path)
		}
	}
	if v.IsZero() {
		return []string{path}
	}
	return nil
}

func unsetFields(v reflect.Value, path string) []string {
	var all []string
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.Tag.Get("json") != "-" {
			all = append(all, unset(v.Field(i), path+"."+field.Name)...)
		}
	}
	return all
}
