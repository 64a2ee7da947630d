package present

import (
	"fusebox/agent"
	"fusebox/views/text"
)

// loopSays is what a detector has seen, in one sentence: in the page's language where
// the evidence says enough, else as the detector told it.
func loopSays(tr *text.Printer, ev agent.LoopEvidence, message string) string {
	if ev.Detector == "chanting" {
		return tr.T("present.loop.says.chanting")
	}
	if ev.Detector == "repeated_answer" {
		return tr.T("present.loop.says.repeated_answer", ev.Count)
	}
	if len(ev.Calls) == 0 {
		return message
	}
	tool := ev.Calls[len(ev.Calls)-1].ToolName
	switch ev.Detector {
	case "generic_repeat":
		return tr.T("present.loop.says.repeat", ev.Count, tool)
	case "no_progress":
		return tr.T("present.loop.says.no_progress", ev.Count, tool)
	case "global_circuit_breaker":
		return tr.T("present.loop.says.same", ev.Count, tool)
	case "ping_pong":
		if changing(ev.Calls) {
			return message
		}
		return tr.T("present.loop.says.ping_pong", ev.Count)
	case "cycle":
		return tr.T("present.loop.says.cycle", ev.Count)
	case "similar_repeat":
		return tr.T("present.loop.says.similar", ev.Count, tool)
	case "unknown_tool":
		return tr.T("present.loop.says.unknown_tool", ev.Count)
	case "nothing_new":
		return tr.T("present.loop.says.nothing_new", ev.Count)
	default:
		return message
	}
}

// changing reports whether equal calls gave different results.
func changing(calls []agent.EvidenceCall) bool {
	for _, same := range kindsOf(calls) {
		for _, c := range same {
			if !c.Blocked && c.Result != same[0].Result {
				return true
			}
		}
	}
	return false
}
