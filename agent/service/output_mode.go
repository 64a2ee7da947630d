package service

import (
	"strings"

	"fusebox/agent"
)

// CheckOutputMode refuses an output mode that there is none of; the error names the field.
func CheckOutputMode(field string, m agent.OutputMode) error {
	if m.Valid() {
		return nil
	}
	return agent.InvalidField(field, "%q is not allowed; allowed: %s, or empty", agent.Clip(string(m), 40), strings.Join(agent.OutputModes(), ", "))
}
