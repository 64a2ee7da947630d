package tools

import (
	"encoding/json"

	"fusebox/agent"
)

// Validate implements agent.Toolbox.
func (r *Registry) Validate(name, args string) (json.RawMessage, error) {
	found, ok := r.find(name)
	if !ok {
		return nil, agent.Errorf(agent.NotFound, "There is no tool named %q. The tools are: %s.", name, r.names())
	}
	return found.schema.Check(args)
}
