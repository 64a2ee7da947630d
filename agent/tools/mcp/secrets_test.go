package mcp

import (
	"fmt"
	"strings"
	"testing"

	"fusebox/agent"
)

// TestNoHalfSecrets: wherever what a server says is cut, no part of a secret is left.
func TestNoHalfSecrets(t *testing.T) {
	t.Parallel()
	var long string
	for i := range 50 {
		long += fmt.Sprintf("%02d%c_", i, 'a'+i%26)
	}
	for name, tc := range map[string]struct{ env, script, says string }{
		"cut at its end": {
			"a-very-secret-value", `read -r line; printf '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"%0596d%s"}}\n' 0 "$TOKEN"; cat`, "[TO…",
		},
		"cut at its beginning":   {"a-very-secret-value", `printf '%s%0290d' "$TOKEN" 0 >&2; exit 3`, "EN]0"},
		"more than what is kept": {long, `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do printf '%s' "$TOKEN"; done >&2; exit 3`, "[TOKEN]"},
		"in several lines":       {"a-very-secret\nvalue", `printf '%s' "$TOKEN" >&2; exit 3`, "[TOKEN]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.start(t, Server{Name: "mad", Transport: Stdio, Command: []string{"sh", "-c", tc.script}, Env: map[string]string{"TOKEN": tc.env}})
			problem := w.becomes(t, agent.ServerFailed).Problem
			if !strings.Contains(problem, tc.says) {
				t.Errorf("it says %q", problem)
			}
			for i := range len(tc.env) - 4 {
				if part := tc.env[i : i+4]; strings.Contains(problem, part) {
					t.Fatalf("%q of the secret stands in %q", part, problem)
				}
			}
		})
	}
}
