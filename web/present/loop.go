package present

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/present/jsontext"
)

// detectorWords say in a few words what a detector has seen, and what it counts.
var detectorWords = map[string]struct{ name, unit string }{
	"generic_repeat":         {"The same call in a row", "calls"},
	"no_progress":            {"The same call with the same result", "calls"},
	"ping_pong":              {"Two calls that take turns", "calls"},
	"cycle":                  {"Calls that go round", "rounds"},
	"similar_repeat":         {"Calls that hardly differ", "calls"},
	"global_circuit_breaker": {"The same call, whatever was said", "calls"},
	"unknown_tool":           {"Tools that do not exist", "calls"},
	"post_compaction":        {"A call whose result was known", "calls"},
	"chanting":               {"An answer that repeats itself", "times"},
	"repeated_answer":        {"The same answer again", "times"},
	"model_judge":            {"Two models find it going in circles", "steps"},
	"consecutive_errors":     {"Answers whose calls all failed", "answers"},
}

// Of a long streak the first and the last calls are shown, the others folded.
const (
	headCalls = 3
	tailCalls = 8
)

// loopShown sets the calls of a streak side by side: of each what changed
// against the one it repeats.
func loopShown(raw json.RawMessage) *part.LoopShown {
	ev, _ := agent.Evidence(raw).Loop()
	words, known := detectorWords[ev.Detector]
	if !known {
		words.name, words.unit = ev.Detector, "times"
	}
	shown := &part.LoopShown{
		Name: words.name, Unit: words.unit, Detector: ev.Detector, Count: ev.Count, Threshold: ev.Threshold, Text: ev.Text, Cost: streakCost(ev.Calls),
	}
	for _, also := range ev.Also {
		shown.Also = append(shown.Also, fmt.Sprintf("%s (%d): %s", also.Detector, also.Count, also.Message))
	}
	var calls []part.LoopCall
	for i, c := range ev.Calls {
		calls = append(calls, loopCall(c, repeated(ev.Calls[:i], c)))
	}
	shown.Calls = calls
	if len(calls) > headCalls+tailCalls+1 {
		shown.Calls, shown.Folded = calls[:headCalls], calls[headCalls:len(calls)-tailCalls]
		shown.Last = calls[len(calls)-tailCalls:]
	}
	return shown
}

// repeated is the call that c repeats: the newest with the same tool and the
// same arguments, else the newest of the tool.
func repeated(before []agent.EvidenceCall, c agent.EvidenceCall) *agent.EvidenceCall {
	var sameTool *agent.EvidenceCall
	for i := len(before) - 1; i >= 0; i-- {
		b := &before[i]
		switch {
		case b.ToolName != c.ToolName:
		case string(b.Args) == string(c.Args):
			return b
		case sameTool == nil:
			sameTool = b
		}
	}
	return sameTool
}

func loopCall(c agent.EvidenceCall, against *agent.EvidenceCall) part.LoopCall {
	call := part.LoopCall{N: c.N, Tool: c.ToolName, Blocked: c.Blocked, Tokens: Tokens(c.Tokens), Cost: Money(c.CostMicros)}
	args := jsontext.Plain(string(c.Args))
	if against == nil {
		call.Args, call.Result = unchanged(args), unchanged(c.Result)
		return call
	}
	before := jsontext.Plain(string(against.Args))
	call.SameArgs = before == args
	call.SameResult = against.Result == c.Result
	call.Args = changes(before, args)
	call.Result = changes(against.Result, c.Result)
	return call
}

func unchanged(text string) []part.Piece { return []part.Piece{{Text: text}} }

// streakCost is what the calls of a streak took, and how long they went on.
func streakCost(calls []agent.EvidenceCall) string {
	if len(calls) == 0 {
		return ""
	}
	var used, micros int64
	var first, last time.Time
	for _, c := range calls {
		used, micros = used+c.Tokens, micros+c.CostMicros
		if c.At.IsZero() {
			continue
		}
		if first.IsZero() {
			first = c.At
		}
		last = c.At
	}
	text := Tokens(used) + " tokens, " + Money(micros)
	if d := last.Sub(first); d >= time.Second {
		text += ", " + clockTime(d) + " minutes"
	}
	return strconv.Itoa(len(calls)) + " calls cost " + text
}
