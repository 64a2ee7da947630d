package guards

import "fusebox/agent"

// Streams makes the detectors that read one message while it is streamed.
func Streams(s agent.GuardSettings) []agent.StreamGuard {
	return []agent.StreamGuard{NewChanting(s)}
}
