package openapi

import (
	"time"

	"fusebox/agent"
	"fusebox/agent/tools/accepted"
	"fusebox/agent/tools/toolname"
)

// Source is one configured service.
type Source struct {
	Name string
	// Document is the file of its OpenAPI document, "" for one that an admin uploads.
	Document string
	// URL is the base address of all its operations, Headers go along with each request.
	URL     string
	Headers map[string]string
	// Effect is that of operations that neither Tools nor their method judges. Tools are by
	// the operations' own names.
	Effect agent.Effect
	Tools  map[string]accepted.Judged
	// Roles may use it; nil is everybody.
	Roles []agent.Role
	// Timeout bounds each call.
	Timeout time.Duration
	// Review holds new tools back until an admin accepts them.
	Review bool
	Off    bool
}

// source is how tools name where they come from.
func (s Source) source() string { return "openapi:" + s.Name }

func (s Source) toolName(operation string) string { return toolname.Of(s.Name, operation) }

// spec is what the tool of an operation declares.
func (s Source) spec(t agent.KnownTool, p plan) agent.ToolSpec {
	spec := agent.ToolSpec{
		Name: s.toolName(t.Name), Description: t.Description, Parameters: t.Parameters, Source: s.source(),
		Fingerprint: t.Fingerprint(), Timeout: s.Timeout, Roles: s.Roles,
	}
	spec.Effect, spec.Risk = s.judge(t.Name, p.Method)
	return spec
}

// judge decides what an operation does: as an admin says, or else as its method implies.
func (s Source) judge(name, method string) (agent.Effect, agent.Risk) {
	effect := s.Effect
	if reads(method) {
		effect = agent.EffectRead
	}
	if own, judged := s.Tools[name]; judged {
		if own.Effect != "" {
			effect = own.Effect
		}
		if own.Risk != "" {
			return effect, own.Risk
		}
		if own.Effect != "" {
			return effect, effect.UsualRisk()
		}
	}
	if method == "DELETE" {
		return effect, agent.RiskHigh // no effect is of a higher one
	}
	return effect, effect.UsualRisk()
}

// reads reports whether a method is safe as HTTP defines it: it changes nothing.
func reads(method string) bool { return method == "GET" || method == "HEAD" }
