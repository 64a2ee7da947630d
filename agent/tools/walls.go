package tools

import (
	"fusebox/agent"
	"fusebox/agent/sandbox"
)

// Walls are what keeps the programs of tools from the rest of the machine.
func (r *Registry) Walls() agent.Walls { return *wallsOf(r.box) }

func wallsOf(box *sandbox.Sandbox) *agent.Walls {
	found := box.Walls()
	return &agent.Walls{Standing: names(found.Standing), Missing: names(found.Missing()), By: append([]string{}, found.By...), Hold: found.Hold()}
}

func names(walls []sandbox.Wall) []string {
	all := []string{}
	for _, w := range walls {
		all = append(all, string(w))
	}
	return all
}
