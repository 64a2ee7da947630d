package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
	"error":              decode[ErrorEvent],
	"finish":             decode[Finish],
}

func decode[T EventData](raw []byte) (EventData, error) {
	var data T
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", data.EventType(), err)
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

// envelope is the part of an event's JSON that every type has.
type envelope struct {
	Seq   int64  `json:"seq"`
	At    string `json:"at"`
	RunID string `json:"runId,omitempty"`
	Step  int    `json:"step,omitempty"`
	Type  string `json:"type"`
}

// TimeFormat is how times look outside: RFC 3339 UTC with milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// MarshalJSON writes the flat form of the contract: {"seq":…,"type":…, fields of Data…}.
func (e Event) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(envelope{
		Seq: e.Seq, At: e.At.UTC().Format(TimeFormat), RunID: e.RunID, Step: e.Step, Type: e.Type(),
	})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(e.Data)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(body, []byte("{}")) {
		return head, nil
	}
	head[len(head)-1] = ','
	return append(head, body[1:]...), nil
}

// EventNames lists the types of all events, sorted.
func EventNames() []string { return slices.Sorted(maps.Keys(decoders)) }
