package e2e

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"fusebox/cmd/fusebox/docstest"
)

// TestDocsServed: pages that list what a running server has, have all of it.
func TestDocsServed(t *testing.T) {
	t.Parallel()
	a := startProgram(t, t.TempDir(), withAdmin()...).admin()
	docstest.SameNames(t, "detectors", docstest.Open(t, "docs/breakers.md").Column("Detector", 0), namesIn(t, a.must("GET", "/api/v1/guards", "")["detectors"]))
	docstest.SameNames(t, "tools", docstest.Open(t, "docs/policy.md").Column("Tool", 0), namesIn(t, a.must("GET", "/api/v1/tools", "")["items"]))

	description := a.must("GET", "/api/openapi.json", "")
	page := docstest.Open(t, "docs/api.md")
	docstest.SameNames(t, "calls", page.Column("Call", 0), callsIn(description))
	docstest.SameNames(t, "events", page.Column("Type", 0), eventsIn(description))
	docstest.SameNames(t, "reasons", page.Column("`stopReason`", 0), enumOf(t, description, "Run", "stopReason"))
	docstest.SameNames(t, "notifications", docstest.Open(t, "docs/notifications.md").Column("Event", 0), enumOf(t, description, "Delivery", "event"))

	var spans []string
	for _, p := range docstest.Pages(t) {
		spans = append(spans, docstest.Spans(p.Prose)...)
	}
	for _, value := range enumsIn(description) {
		if !slices.Contains(spans, value) {
			t.Errorf("the API knows the value %q, and no page names it", value)
		}
	}
}

func namesIn(t *testing.T, list any) []string {
	t.Helper()
	var named []struct{ Name string }
	raw, err := json.Marshal(list)
	if err := errors.Join(err, json.Unmarshal(raw, &named)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range named {
		names = append(names, n.Name)
	}
	return names
}

// callsIn are the calls that the description of the API has: "GET /path".
func callsIn(description map[string]any) []string {
	var calls []string
	for path, methods := range description["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			if method != "parameters" {
				calls = append(calls, strings.ToUpper(method)+" "+path)
			}
		}
	}
	return calls
}

// eventsIn are the types of events.
func eventsIn(description map[string]any) []string {
	found := description
	for _, name := range []string{"components", "schemas", "Event", "discriminator", "mapping"} {
		found, _ = found[name].(map[string]any)
	}
	return slices.Collect(maps.Keys(found))
}

func enumOf(t *testing.T, description map[string]any, schema, field string) []string {
	t.Helper()
	found := description
	for _, name := range []string{"components", "schemas", schema, "properties", field} {
		found, _ = found[name].(map[string]any)
	}
	return enumsIn(map[string]any{"of": found})
}

// enumsIn are all enumerated values in a part of the description.
func enumsIn(part any) []string {
	var all []string
	switch part := part.(type) {
	case map[string]any:
		if values, ok := part["enum"].([]any); ok {
			for _, v := range values {
				if text, _ := v.(string); text != "" {
					all = append(all, text)
				}
			}
		}
		for _, inner := range part {
			all = append(all, enumsIn(inner)...)
		}
	case []any:
		for _, inner := range part {
			all = append(all, enumsIn(inner)...)
		}
	}
	return all
}
