package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// decoders holds one decoder per event type; DecodeEventData uses it and the
// tests compare it with the types above.
var decoders = map[string]func([]byte) (EventData, error){
	"message":            decode[MessageEvent],
	"run-start":          decode[RunStart],
	"step-start":         decode[StepStart],
	"step-finish":        decode[StepFinish],
	"text-delta":         decode[TextDelta],
	"reasoning-delta":    decode[ReasoningDelta],
	"message-reset":      decode[MessageReset],
	"tool-call-start":    decode[ToolCallStart],
	"tool-call-delta":    decode[ToolCallDelta],
	"tool-call-state":    decode[ToolCallStateEvent],
	"tool-result-delta":  decode[ToolResultDelta],
	"tool-call-result":   decode[ToolCallResult],
	"retry":              decode[RetryEvent],
	"fallback":           decode[FallbackEvent],
	"guard":              decode[GuardEvent],
	"budget":             decode[BudgetEvent],
	"approval-requested": decode[ApprovalRequestedEvent],
	"approval-decided":   decode[ApprovalDecidedEvent],
	"run-paused":         decode[RunPaused],
	"run-resumed":        decode[RunResumed],
	"notice":             decode[Notice],
	"plan":               decode[PlanEvent],
	"branch":             decode[BranchEvent],
	"message-deleted":    decode[MessageDeletedEvent],
	"title":              decode[TitleEvent],
	"queue":              decode[QueueEvent],
	"error":              decode[ErrorEvent],
	"finish":             decode[Finish],
}

func decode[T EventData](raw []byte) (EventData, error) {
	var data T
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", data.eventType(), err)
	}
	return data, nil
}

// DecodeEventData reads the stored JSON of an event's data back.
func DecodeEventData(eventType string, raw []byte) (EventData, error) {
	d, ok := decoders[eventType]
	if !ok {
		return nil, fmt.Errorf("unknown event type %q", eventType)
	}
	return d(raw)
}

// TimeFormat is how times look outside: RFC 3339 UTC with milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// MarshalJSON writes the flat form of the contract: {"seq":…,"type":…, fields of Data…}.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the JSON of an event to b.
func (e Event) AppendJSON(b []byte) ([]byte, error) {
	b = strconv.AppendInt(append(b, `{"seq":`...), e.Seq, 10)
	b = append(e.At.UTC().AppendFormat(append(b, `,"at":"`...), TimeFormat), '"')
	if e.RunID != "" {
		b = appendString(append(b, `,"runId":`...), e.RunID)
	}
	if e.ParentRunID != "" {
		b = appendString(append(b, `,"parentRunId":`...), e.ParentRunID)
	}
	if e.Step != 0 {
		b = strconv.AppendInt(append(b, `,"step":`...), int64(e.Step), 10)
	}
	b = append(append(append(b, `,"type":"`...), e.Type()...), `",`...)
	start := len(b)
	if e.Encoded != nil {
		b = append(b, e.Encoded...)
	} else {
		var err error
		if b, err = appendData(b, e.Data); err != nil {
			return nil, err
		}
	}
	if string(b[start:]) == "{}" {
		return append(b[:start-1], '}'), nil
	}
	return append(b[:start], b[start+1:]...), nil // the object goes on
}

// Encode notes the JSON of an event's data, so that it is made once.
func (e *Event) Encode() error {
	if e.Encoded != nil {
		return nil
	}
	raw, err := appendData(nil, e.Data)
	e.Encoded = raw
	return err
}

// appendData appends what encoding/json makes of an event's data. Deltas, which
// are most of all events, are written without reflection.
func appendData(b []byte, data EventData) ([]byte, error) {
	switch d := data.(type) {
	case TextDelta:
		return appendDelta(b, "id", d.ID, d.Delta), nil
	case ReasoningDelta:
		return appendDelta(b, "id", d.ID, d.Delta), nil
	case ToolCallDelta:
		return appendDelta(b, "toolCallId", d.ToolCallID, d.Delta), nil
	case ToolResultDelta:
		return appendDelta(b, "toolCallId", d.ToolCallID, d.Delta), nil
	}
	raw, err := json.Marshal(data)
	return append(b, raw...), err
}

func appendDelta(b []byte, key, id, delta string) []byte {
	b = append(append(append(b, `{"`...), key...), `":`...)
	b = append(appendString(b, id), `,"delta":`...)
	return append(appendString(b, delta), '}')
}

// appendString writes a string as encoding/json does.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			raw, _ := json.Marshal(s) // strings always encode
			return append(b, raw...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// EventNames lists the types of all events, sorted.
func EventNames() []string { return slices.Sorted(maps.Keys(decoders)) }

func (MessageEvent) eventType() string           { return "message" }
func (RunStart) eventType() string               { return "run-start" }
func (StepStart) eventType() string              { return "step-start" }
func (StepFinish) eventType() string             { return "step-finish" }
func (TextDelta) eventType() string              { return "text-delta" }
func (ReasoningDelta) eventType() string         { return "reasoning-delta" }
func (MessageReset) eventType() string           { return "message-reset" }
func (ToolCallStart) eventType() string          { return "tool-call-start" }
func (ToolCallDelta) eventType() string          { return "tool-call-delta" }
func (ToolCallStateEvent) eventType() string     { return "tool-call-state" }
func (ToolResultDelta) eventType() string        { return "tool-result-delta" }
func (ToolCallResult) eventType() string         { return "tool-call-result" }
func (RetryEvent) eventType() string             { return "retry" }
func (FallbackEvent) eventType() string          { return "fallback" }
func (GuardEvent) eventType() string             { return "guard" }
func (ApprovalRequestedEvent) eventType() string { return "approval-requested" }
func (ApprovalDecidedEvent) eventType() string   { return "approval-decided" }
func (RunPaused) eventType() string              { return "run-paused" }
func (RunResumed) eventType() string             { return "run-resumed" }
func (Notice) eventType() string                 { return "notice" }
func (PlanEvent) eventType() string              { return "plan" }
func (BranchEvent) eventType() string            { return "branch" }
func (MessageDeletedEvent) eventType() string    { return "message-deleted" }
func (TitleEvent) eventType() string             { return "title" }
func (QueueEvent) eventType() string             { return "queue" }
func (ErrorEvent) eventType() string             { return "error" }
func (Finish) eventType() string                 { return "finish" }
func (BudgetEvent) eventType() string            { return "budget" }
