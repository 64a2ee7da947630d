package accepted

import "fusebox/agent"

// Judged is what an admin says of a tool from outside; "" leaves it to the source.
type Judged struct {
	Effect agent.Effect
	Risk   agent.Risk
}
