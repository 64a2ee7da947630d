package provider

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
)

// TestEmbed: vectors come in the order of their texts, whichever way they are written, and what
// the endpoint does not count is estimated.
func TestEmbed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body string
		want agent.Embedding
	}{
		"numbers": {`{"object":"list","data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[3,-4.5]}],"usage":{"prompt_tokens":7,"total_tokens":7}}`,
			agent.Embedding{Vectors: [][]float32{{1, 2}, {3, -4.5}}, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 7}}}},
		"out of order": {`{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],"usage":{"total_tokens":7}}`,
			agent.Embedding{Vectors: [][]float32{{1, 2}, {3, 4}}, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 7}}}},
		"base64, without indexes": {`{"data":[{"embedding":"AACAPwAAAEA="},{"embedding":"AABAQAAAkMA="}]}`,
			agent.Embedding{Vectors: [][]float32{{1, 2}, {3, -4.5}}, Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 3}, Estimated: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, raw(tc.body, "Content-Type: application/json"))
			p, _ := newProvider(t, server.URL)
			got, err := p.Embed(t.Context(), agent.EmbeddingRequest{Model: "m", Texts: []string{"pump", "weir"}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if sent := server.requests(); len(sent) != 1 || sent[0] != `{"input":["pump","weir"],"model":"m"}` {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

// TestEmbedIsRetried: failures that may pass are waited for like those of chats, but not by a
// caller who asks once, and no key is in what is said.
func TestEmbedIsRetried(t *testing.T) {
	t.Parallel()
	server := serve(t, status(http.StatusTooManyRequests, ``, "Retry-After: 7"), raw(`{"data":[{"index":0,"embedding":[1]}]}`))
	p, clk := newProvider(t, server.URL)
	clk.Hurry(func(d time.Duration) bool { return d == 7*time.Second })
	if _, err := p.Embed(t.Context(), agent.EmbeddingRequest{Model: "m", Texts: []string{"pump"}}); err != nil || len(server.requests()) != 2 {
		t.Errorf("%v after %d requests", err, len(server.requests()))
	}
	server = serve(t, status(http.StatusInternalServerError, `{"error":{"message":"no `+testKey+`"}}`))
	p, _ = newProvider(t, server.URL)
	_, err := p.Embed(t.Context(), agent.EmbeddingRequest{Model: "m", Texts: []string{"pump"}, Once: true})
	var failed *agent.ProviderError
	if !errors.As(err, &failed) || !failed.Retryable || failed.Attempts != 1 || strings.Contains(err.Error(), testKey) || len(server.requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(server.requests()))
	}
}
