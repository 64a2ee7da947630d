package present

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/jsontext"
)

// DetectorName says in a few words what a detector has seen.
func DetectorName(tr *text.Printer, detector string) string {
	switch detector {
	case "generic_repeat":
		return tr.T("present.detector.generic_repeat")
	case "no_progress":
		return tr.T("present.detector.no_progress")
	case "ping_pong":
		return tr.T("present.detector.ping_pong")
	case "cycle":
		return tr.T("present.detector.cycle")
	case "similar_repeat":
		return tr.T("present.detector.similar_repeat")
	case "nothing_new":
		return tr.T("present.detector.nothing_new")
	case "tree_repeat":
		return tr.T("present.detector.tree_repeat")
	case "idle_delegation":
		return tr.T("present.detector.idle_delegation")
	case "global_circuit_breaker":
		return tr.T("present.detector.global_circuit_breaker")
	case "unknown_tool":
		return tr.T("present.detector.unknown_tool")
	case "post_compaction":
		return tr.T("present.detector.post_compaction")
	case "chanting":
		return tr.T("present.detector.chanting")
	case "repeated_answer":
		return tr.T("present.detector.repeated_answer")
	case "model_judge":
		return tr.T("present.detector.model_judge")
	case "consecutive_errors":
		return tr.T("present.detector.consecutive_errors")
	case "max_steps":
		return tr.T("present.detector.max_steps")
	case "max_duration":
		return tr.T("present.detector.max_duration")
	default:
		return detector
	}
}

// streakLength is how long a streak is, in what its detector counts, and how
// long one may become.
func streakLength(tr *text.Printer, ev agent.LoopEvidence) string {
	switch ev.Detector {
	case "cycle":
		return tr.T("present.loop.rounds", ev.Count, ev.Threshold)
	case "model_judge":
		return tr.T("present.loop.steps", ev.Count, ev.Threshold)
	case "consecutive_errors":
		return tr.T("present.loop.answers", ev.Count, ev.Threshold)
	case "chanting":
		return textLength(tr, ev)
	case "repeated_answer":
		return tr.T("present.loop.times", ev.Count, ev.Threshold)
	default:
		return tr.T("present.loop.calls", ev.Count, ev.Threshold)
	}
}

func textLength(tr *text.Printer, ev agent.LoopEvidence) string {
	switch ev.Rule {
	case "rising":
		return tr.T("present.loop.lines", ev.Count, ev.Threshold)
	case "sentences":
		return tr.T("present.loop.sentences", ev.Count, ev.Threshold)
	case "novelty", "white_space":
		return tr.T("present.loop.characters", ev.Count, ev.Threshold)
	default:
		return tr.T("present.loop.times", ev.Count, ev.Threshold)
	}
}

// placeShown says where in an answer the repetition begins.
func placeShown(tr *text.Printer, place *agent.TextPlace) string {
	switch {
	case place == nil:
		return ""
	case place.At == 0:
		return tr.T("present.loop.from_start")
	default:
		return tr.T("present.loop.from", place.At, place.Before)
	}
}

// Of a long streak the first and the last calls are shown, the others folded.
const (
	headCalls = 3
	tailCalls = 8
)

// loopShown sets the calls of a streak side by side: of each what changed
// against the one it repeats.
func loopShown(tr *text.Printer, runID string, raw json.RawMessage, tokensOnly bool) *part.LoopShown {
	ev, _ := agent.Evidence(raw).Loop()
	shown := &part.LoopShown{
		Name: DetectorName(tr, ev.Detector), Detector: ev.Detector, Length: streakLength(tr, ev), Text: ev.Text, Place: placeShown(tr, ev.Place), Cost: streakCost(tr, ev.Calls, tokensOnly),
		Pattern: patternOf(tr, ev.Calls),
	}
	for _, also := range ev.Also {
		shown.Also = append(shown.Also, tr.T("present.loop.also", DetectorName(tr, also.Detector), also.Count, tr.Recorded(also.Message)))
	}
	var calls []part.LoopCall
	for i, c := range ev.Calls {
		call := loopCall(tr, c, repeated(ev.Calls[:i], c))
		traceBack(&call, calls)
		if !call.SameResult {
			call.Pictures = picturesOf(cmp.Or(c.RunID, runID), c.Images)
		}
		if tokensOnly {
			call.Cost = ""
		}
		calls = append(calls, call)
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
	for i := range slices.Backward(before) {
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

func loopCall(tr *text.Printer, c agent.EvidenceCall, against *agent.EvidenceCall) part.LoopCall {
	call := part.LoopCall{N: c.N, Agent: c.Agent, Tool: c.ToolName, Blocked: c.Blocked, Tokens: tr.Amount(c.Tokens), Cost: Money(c.CostMicros)}
	args := jsontext.Plain(string(c.Args))
	if against == nil {
		call.Args, call.Result = unchanged(args), unchanged(c.Result)
		return call
	}
	before := jsontext.Plain(string(against.Args))
	call.SameArgs = before == args
	call.SameResult = against.Result == c.Result && agent.ImageNames(against.Images) == agent.ImageNames(c.Images)
	call.As, call.ResultAs = against.N, against.N
	call.Args = changes(before, args)
	call.Result = changes(against.Result, c.Result)
	return call
}

// traceBack names the first of several equal calls, and of equal results, in place of
// the last one.
func traceBack(call *part.LoopCall, before []part.LoopCall) {
	for _, b := range slices.Backward(before) {
		if call.SameArgs && b.N == call.As && b.SameArgs {
			call.As = b.As
		}
		if call.SameResult && b.N == call.ResultAs && b.SameArgs && b.SameResult {
			call.ResultAs = b.ResultAs
		}
	}
}

func unchanged(text string) []part.Piece { return []part.Piece{{Text: text}} }

// streakCost is what the calls of a streak took, and how long they went on.
func streakCost(tr *text.Printer, calls []agent.EvidenceCall, tokensOnly bool) string {
	if len(calls) == 0 {
		return ""
	}
	var used, micros int64
	var first, last time.Time // of those whose time is known
	for _, c := range calls {
		used, micros = used+c.Tokens, micros+c.CostMicros
		if first.IsZero() {
			first = c.At
		}
		if !c.At.IsZero() {
			last = c.At
		}
	}
	n, d := len(calls), last.Sub(first)
	switch {
	case d < time.Second && tokensOnly:
		return tr.T("present.loop.used", n, tr.Amount(used))
	case d < time.Second:
		return tr.T("present.loop.cost", n, tr.Amount(used), Money(micros))
	case tokensOnly:
		return tr.T("present.loop.used_in", n, tr.Amount(used), clockTime(d))
	default:
		return tr.T("present.loop.cost_in", n, tr.Amount(used), Money(micros), clockTime(d))
	}
}
