package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

// judge says what a tool does: what an admin says of it, else the server's default effect.
// Its own annotations can only raise that.
func (s Server) judge(name string, claimed json.RawMessage) (agent.Effect, agent.Risk) {
	var claims mcp.ToolAnnotations
	if len(claimed) > 0 && json.Unmarshal(claimed, &claims) != nil {
		return agent.EffectUnknown, agent.RiskHigh
	}
	if own, judged := s.Tools[name]; judged && own.Risk != "" {
		return own.Effect, own.Risk
	} else if judged {
		return own.Effect, raised(own.Effect, claims)
	}
	effect := s.Effect
	if effect == agent.EffectRead && claims.DestructiveHint != nil && *claims.DestructiveHint {
		effect = agent.EffectUnknown // it says itself that it does more than read
	}
	return effect, raised(effect, claims)
}

// raised is the risk of an effect, or of what a tool admits to do where that is higher.
func raised(effect agent.Effect, claims mcp.ToolAnnotations) agent.Risk {
	usual := effect.UsualRisk()
	switch {
	case claims.DestructiveHint != nil && *claims.DestructiveHint:
		return agent.RiskHigh // no effect is of a higher one
	case claims.OpenWorldHint != nil && *claims.OpenWorldHint && usual == agent.RiskLow:
		return agent.RiskMedium
	default:
		return usual
	}
}
