package agent

import (
	"encoding/json"
	"fmt"
	"slices"
)

// maxTrips bounds what a run remembers of its streaks; the oldest go first.
const maxTrips = 100

// maxEvidenceText bounds each argument and result on a card; the whole stands in the run.
const maxEvidenceText = 2048

// assess asks all guards and returns the most severe verdict that has
// something new to say, and the others that saw the same. It notes in r how
// far each streak has come.
func (f *flight) assess(h History, r *Run) (Verdict, []AlsoTripped) {
	var worst Verdict
	var all []Verdict
	for _, g := range f.Guards {
		v := g.Check(h)
		if v.Level == Pass || !speaks(r, v) {
			continue
		}
		all = append(all, v)
		if v.Level > worst.Level {
			worst = v
		}
	}
	also := []AlsoTripped{}
	for _, v := range all {
		if v.Detector != worst.Detector {
			also = append(also, AlsoTripped{Detector: v.Detector, Count: v.Count, Message: v.Message})
		}
	}
	return worst, also
}

// speaks reports whether v is news, and notes it in r.
func speaks(r *Run, v Verdict) bool {
	trips := r.State.Trips
	i := slices.IndexFunc(trips, func(t Trip) bool { return t.Detector == v.Detector && t.Key == v.Key })
	if i < 0 {
		trips = append(trips, Trip{Detector: v.Detector, Key: v.Key, Level: v.Level, Count: v.Count})
		r.State.Trips = trips[max(len(trips)-maxTrips, 0):]
		return true
	}
	t := &trips[i]
	news := v.Level == Stop || v.Level > t.Level || (t.Level < Pause && v.Count <= t.Count)
	t.Count = v.Count
	t.Level = max(t.Level, v.Level)
	return news
}

// remind puts a warning into the next model request.
func remind(r *Run, text string) {
	r.State.Reminders = append(r.State.Reminders, text)
}

// evidence lists the calls of a streak for a reviewer.
func (f *flight) evidence(v Verdict, also []AlsoTripped) LoopEvidence {
	e := LoopEvidence{Detector: v.Detector, Count: v.Count, Threshold: v.Threshold, Also: also, Calls: []EvidenceCall{}}
	for _, n := range v.Calls {
		if n < 1 || n > len(f.calls) {
			continue
		}
		c := f.calls[n-1]
		e.Calls = append(e.Calls, EvidenceCall{
			N: n, ToolCallID: c.ID, ToolName: c.Name, Args: rawArgs(clip(c.Args)), Result: clip(c.Result),
			Blocked: c.Blocked || !c.State.Ended(), Tokens: c.Tokens, CostMicros: c.CostMicros, At: c.StartedAt,
		})
	}
	return e
}

func clip(s string) string {
	if len(s) <= maxEvidenceText {
		return s
	}
	return string([]rune(s[:maxEvidenceText])) + "…"
}

// rawArgs returns args as JSON: as they are where they parse, else as a string.
func rawArgs(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return mustJSON(args)
}

// mustJSON encodes our own types, which always encode.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return b
}

func guardEvent(v Verdict, e LoopEvidence) GuardEvent {
	return GuardEvent{
		Level: v.Level.String(), Detector: v.Detector, Count: v.Count, Message: v.Message, Evidence: mustJSON(e),
	}
}
