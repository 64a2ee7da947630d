package guards

import "fusebox/agent"

// Streams makes the detectors that read one answer to a task while it is streamed: its
// text, its reasoning, or the arguments of its calls, by the kind of their deltas.
func Streams(s agent.GuardSettings, task string, of agent.DeltaKind) []agent.StreamGuard {
	if of == agent.DeltaCallArgs {
		return []agent.StreamGuard{NewArgumentsChanting(task)}
	}
	return []agent.StreamGuard{NewChanting(s, task)}
}
