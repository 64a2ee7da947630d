package web

import (
	"errors"
	"strings"

	"fusebox/agent"
)

// checkAccount holds an e-mail address and a password against what an account
// needs, and returns the address in lower case. The error names both fields.
func checkAccount(email, password string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	both := &agent.Error{Code: agent.Invalid, Message: "The account is not complete yet."}
	for _, err := range []error{CheckEmail(email), CheckPassword(password)} {
		var e *agent.Error
		if errors.As(err, &e) {
			both.Fields = append(both.Fields, e.Fields...)
		}
	}
	if len(both.Fields) > 0 {
		return email, both
	}
	return email, nil
}

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
