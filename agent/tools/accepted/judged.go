package accepted

import "fusebox/agent"

// Judged is an admin's verdict on a tool from outside; "" leaves it to the source.
type Judged struct {
	Effect agent.Effect
	Risk   agent.Risk
}
