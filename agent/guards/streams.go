package guards

import "fusebox/agent"

// Streams makes the detectors that read one answer to a task while it is streamed.
func Streams(s agent.GuardSettings, task string) []agent.StreamGuard {
	return []agent.StreamGuard{NewChanting(s, task)}
}
