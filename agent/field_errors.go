package agent

import (
	"errors"
)

// FieldErrors are the details of an error by field.
func FieldErrors(err error) map[string]string {
	out := map[string]string{}
	var e *Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			out[f.Field] = f.Detail
		}
	}
	return out
}
