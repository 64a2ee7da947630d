package web

import (
	"errors"

	"fusebox/agent"
)

// fieldErrors are the details of an error by field.
func fieldErrors(err error) map[string]string {
	out := map[string]string{}
	var e *agent.Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			out[f.Field] = f.Detail
		}
	}
	return out
}
