package tools

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for _, tc := range []struct {
		name, tool, args string
		code             agent.Code
		says             string
	}{
		{"good", "calculator", `{"expression":"1"}`, "", ""},
		{"nothing is an empty object", "list_files", "", "", ""},
		{"null is an empty object", "list_files", " null ", "", ""},
		{"missing", "calculator", "", agent.Invalid, "expression"},
		{"broken", "calculator", `{"expression":`, agent.Invalid, "byte"},
		{"two objects", "calculator", `{"expression":"1"} {}`, agent.Invalid, "JSON"},
		{"wrong type", "calculator", `{"expression":7}`, agent.Invalid, "expression"},
		{"a field too many", "calculator", `{"expression":"1","sudo":true}`, agent.Invalid, "sudo"},
		{"not an object", "calculator", `[1]`, agent.Invalid, "arguments"},
		{"not one of the values", "terminate", `{"status":"maybe"}`, agent.Invalid, "success"},
		{"unknown tool", "teleport", `{}`, agent.NotFound, "calculator"},
	} {
		_, err := r.Validate(tc.tool, tc.args)
		if agent.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var e *agent.Error
		if errors.As(err, &e) && !strings.Contains(fmt.Sprint(e.Message, e.Fields), tc.says) {
			t.Errorf("%s: %v %v does not say %q", tc.name, e.Message, e.Fields, tc.says)
		}
	}
}
