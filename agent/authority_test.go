package agent

import (
	"encoding/json"
	"testing"
)

// TestAuthorityText: every text comes back as it was, and its kind is known.
func TestAuthorityText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Authority{
		"":                  {},
		"effect-exec":       {ID: "effect-exec"},
		"rejected":          {ID: "rejected"},
		"approval:a1":       {Kind: AuthorityApproval, ID: "a1"},
		"scope:run:a1":      {Kind: AuthorityScope, ID: "a1", Scope: ScopeRun},
		"rule:r:1":          {Kind: AuthorityRule, ID: "r:1"},
		"config:none":       {Kind: AuthorityConfig, ID: "none"},
		"guard:no_progress": {Kind: AuthorityGuard, ID: "no_progress"},
		"approval":          {ID: "approval"},
		"scope:run":         {ID: "scope:run"},
		"other:x":           {ID: "other:x"},
	} {
		got := ParseAuthority(text)
		if got != want || got.String() != text {
			t.Errorf("%q is read as %+v and written as %q, want %+v", text, got, got, want)
		}
		raw, err := json.Marshal(struct {
			Rule Authority `json:"rule,omitzero"`
		}{got})
		var back struct{ Rule Authority }
		if err != nil || json.Unmarshal(raw, &back) != nil || back.Rule != got || (text == "") != (string(raw) == "{}") {
			t.Errorf("%q in JSON: %s, %v", text, raw, err)
		}
	}
}
