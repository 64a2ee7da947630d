package main

import (
	"bytes"
	"strings"
	"testing"
)

const twoProviders = `
[[providers]]
name = "near"
base_url = "http://127.0.0.1:1234/v1"
family = "ollama"

[[providers]]
name = "far"
base_url = "https://far.example.org/v1?version=2"
key_env = "FAR_KEY"
headers = { X-Team = "blue" }

[[providers.models]]
name = "deep/one"
family = "deepseek"
context_window = 64000
price = { input = 0.5, output = 2 }
thinking = true
stream_with_tools = false
extra = { enable_thinking = true }
`

// TestProvidersConfigErrors name the table, the key and the remedy, and no key.
func TestProvidersConfigErrors(t *testing.T) {
	t.Parallel()
	for change, want := range map[string][]string{
		"near=>near/er":                     {"providers[0]", `"near/er"`, "without slashes"},
		"name = \"far\"=>name = \"near\"":   {"providers[1]", "taken"},
		"http://127.0.0.1:1234/v1=>ftp://x": {"providers[0]", "base_url", "http"},
		"\"ollama\"=>\"lama\"":              {"providers[0]", `"lama"`, "deepseek"},
		"FAR_KEY=>OTHER_KEY":                {"providers[1]", "OTHER_KEY", "not set"},
		"thinking = true=>thinks = true":    {"providers.models.thinks", "context_window"},
		"64000=>-1":                         {"providers[1].models[0]", "context_window", "-1"},
		"64000=>\"many\"":                   {"fusebox.toml", "context_window"},
		"input = 0.5=>input = -1":           {"far/deep/one", "-1"},
		"name = \"deep/one\"=>name = \"\"":  {"models[0]", "name is missing"},
	} {
		from, to, _ := strings.Cut(change, "=>")
		var stderr bytes.Buffer
		p := process{env: []string{"FAR_KEY=sk-far-secret", "FUSEBOX_DATA=" + t.TempDir()}, stdout: &bytes.Buffer{}, stderr: &stderr}
		code := p.main(t.Context(), []string{"-config", writeConfig(t, strings.Replace(twoProviders, from, to, 1))})
		line := strings.TrimSpace(stderr.String())
		if code != exitUsage || strings.Contains(line, "\n") || strings.Contains(line, "secret") {
			t.Errorf("%s: exit %d, %q", change, code, line)
		}
		for _, w := range want {
			if !strings.Contains(line, w) {
				t.Errorf("%s: %q does not name %q", change, line, w)
			}
		}
	}
}
