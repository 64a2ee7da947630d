package present

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"fusebox/agent"
)

// WithoutMoney is an event with nothing in it that is money.
func WithoutMoney(e agent.Event) agent.Event {
	switch d := e.Data.(type) {
	case agent.RunStart:
		d.Limits.CostMicros = 0
		e.Data, e.Encoded = d, nil
	case agent.StepFinish:
		d.CostMicros = 0
		e.Data, e.Encoded = d, nil
	case agent.BudgetEvent:
		d.UsedMicros, d.LimitMicros = 0, 0
		e.Data, e.Encoded = d, nil
	case agent.GuardEvent:
		d.Message, d.Evidence = agent.WithoutAmounts(d.Message), evidenceWithoutMoney(d.Evidence)
		e.Data, e.Encoded = d, nil
	case agent.ApprovalRequestedEvent:
		d.Evidence = evidenceWithoutMoney(d.Evidence)
		if d.Kind == agent.KindBudget {
			d.Message = agent.WithoutAmounts(d.Message)
		}
		e.Data, e.Encoded = d, nil
	case agent.Notice:
		d.Message = agent.WithoutAmounts(d.Message)
		e.Data, e.Encoded = d, nil
	case agent.Finish:
		d.CostMicros, d.Message = 0, agent.WithoutAmounts(d.Message)
		e.Data, e.Encoded = d, nil
	}
	return e
}

// EventsWithoutMoney leaves the events alone that others read too.
func EventsWithoutMoney(events []agent.Event) []agent.Event {
	events = slices.Clone(events)
	for i, e := range events {
		events[i] = WithoutMoney(e)
	}
	return events
}

// evidenceWithoutMoney sets every amount of a JSON document to nothing; they all
// stand in fields that end in Micros.
func evidenceWithoutMoney(raw json.RawMessage) json.RawMessage {
	var value any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // arguments are shown as they are, long numbers too
	if dec.Decode(&value) != nil {
		return raw
	}
	clearMicros(value)
	out, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return out
}

func clearMicros(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.HasSuffix(key, "Micros") {
				v[key] = 0
				continue
			}
			if key != "args" { // what a model asked for is its own
				clearMicros(inner)
			}
		}
	case []any:
		for _, inner := range v {
			clearMicros(inner)
		}
	}
}

// ApprovalWithoutMoney is an approval with nothing in it that is money.
func ApprovalWithoutMoney(a agent.Approval) agent.Approval {
	a.Evidence, a.RaiseMicrosBy = evidenceWithoutMoney(a.Evidence), 0
	if a.Kind == agent.KindBudget {
		a.Message = agent.WithoutAmounts(a.Message)
	}
	return a
}

// RunWithoutMoney is a run with nothing in it that is money.
func RunWithoutMoney(r agent.Run) agent.Run {
	r.CostMicros, r.Limits.CostMicros = 0, 0
	return r
}
