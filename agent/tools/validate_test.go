package tools

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/schema"
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
		{"wrong type", "calculator", `{"expression":[7]}`, agent.Invalid, "expression"},
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

// TestValidateNamesEveryField: one problem each, at the field, with what is allowed.
func TestValidateNamesEveryField(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	_, err := r.Validate("write_file", `{"path":7,"mode":"x"}`)
	var e *agent.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range e.Fields {
		got[f.Field] = f.Detail
	}
	want := map[string]string{
		"content": "is missing; it is required",
		"mode":    "is not a field of this tool; allowed: content, path",
		"path":    "has the type number; it must be string",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Validate("calculator", `{"expression":"`+strings.Repeat("1", schema.MaxBytes)+`"}`); agent.CodeOf(err) != agent.Invalid || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too large: %v", agent.CodeOf(err))
	}
}
