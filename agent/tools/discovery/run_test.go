package discovery

import (
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"fusebox/agent/sandbox"
	"fusebox/agent/tools/sandboxed"
)

// TestNoHalfSecrets: neither what is shown while a command runs nor what is cut off has a
// part of a secret.
func TestNoHalfSecrets(t *testing.T) {
	t.Parallel()
	const key = "a-very-secret-value"
	data := t.TempDir()
	box, err := sandbox.New(sandbox.Options{Mode: sandbox.Auto, Data: data, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	host := sandboxed.Host{Box: box, Data: data, Path: os.Getenv("PATH")}
	source := Source{Name: "tickets", Env: map[string]string{"KEY": key}}
	for name, tc := range map[string]struct{ script, shown, text string }{
		"whole":   {`printf 'is %s.' "$KEY"`, "is [KEY].", "is [KEY]."},
		"cut off": {`printf '%032d%s' 0 "$KEY"; printf x`, strings.Repeat("0", 32) + "[KEY]x", strings.Repeat("0", 32) + "\n[… 12 bytes left out …]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			out, err := run(t.Context(), host, source, []string{"sh", "-c", tc.script}, nil, call{limit: 40, progress: func(text string) { shown.WriteString(text) }})
			if err != nil || out.text != tc.text || shown.String() != tc.shown {
				t.Errorf("%v: %q, while it ran %q", err, out.text, shown.String())
			}
		})
	}
}

// TestSecretsInPieces: what is shown waits until it is clear that no secret has begun.
func TestSecretsInPieces(t *testing.T) {
	t.Parallel()
	var shown []string
	b := &bounded{secrets: sandboxed.NewSecrets(map[string]string{"KEY": "a-very-secret-value"}), limit: 100, show: func(text string) { shown = append(shown, text) }}
	for _, piece := range []string{"is a-very-", "secret", "-value, a-very", " long one"} {
		if _, err := b.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"is ", "[KEY], ", "a-very long one"}; !slices.Equal(shown, want) {
		t.Errorf("shown as %q, want %q", shown, want)
	}
}
