package provider

import (
	"errors"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// TestTooLong: endpoints say in many ways that a prompt does not fit; a limit
// of tokens per minute is none of them.
func TestTooLong(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status  int
		tooLong bool
	}{
		`{"error":{"code":"context_length_exceeded","message":"too much"}}`:                                  {400, true},
		`{"error":{"message":"This model's maximum context length is 8192 tokens."}}`:                        {400, true},
		`{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`:                         {400, true},
		`{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens."}}`:      {400, true},
		`{"error":{"message":"Please reduce the length of the messages or completion."}}`:                    {400, true},
		`{"error":{"message":"the request exceeds the available context size, try increasing it"}}`:          {400, true},
		`{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}}`:             {400, true},
		`{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be"}}`: {400, true},
		`{"error":{"message":"Request entity too large"}}`:                                                   {413, true},
		`{"error":{"message":"Rate limit reached: please reduce the length of the prompt or try again"}}`:    {429, false},
		`{"error":{"message":"max_tokens is too large"}}`:                                                    {400, false},
		`{"error":{"message":"the server is overloaded, its maximum context length does not matter"}}`:       {503, false},
	} {
		srv := serve(t, status(want.status, body))
		p, clk := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 1 })
		_, err := complete(t, p, &watcher{clk: clk})
		var failed *agent.ProviderError
		if !errors.As(err, &failed) || failed.TooLong != want.tooLong || failed.Retryable == want.tooLong && want.tooLong {
			t.Errorf("%s: %v, too long %v", body, err, failed != nil && failed.TooLong)
		}
		if n := len(srv.requests()); want.tooLong && n != 1 {
			t.Errorf("%s: asked %d times", body, n)
		}
	}
}

// TestTruncationIsTold: an endpoint that counts far fewer tokens than were sent
// has left some out, and does not say so itself.
func TestTruncationIsTold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		family Family
		read   string
		told   bool
	}{{Ollama, "2048", true}, {Ollama, "9000", false}, {Plain, "2048", false}} {
		srv := serve(t, raw(streamtest.SSE(streamtest.Delta(`"content":"Hi"`), streamtest.Finish("stop"), `{"choices":[],"usage":{"prompt_tokens":`+tc.read+`,"completion_tokens":1}}`, streamtest.Done)))
		p, _ := newProvider(t, srv.URL, func(c *Config) { c.Family = tc.family })
		req := hello()
		req.Messages[0].Content = strings.Repeat("one word after another ", 2200)
		w := &watcher{}
		if _, err := p.Complete(t.Context(), req, w.sink); err != nil {
			t.Fatal(err)
		}
		last := w.deltas[len(w.deltas)-1]
		if told := last.Kind == agent.DeltaNotice && strings.Contains(last.Text, "read only 2048 of about"); told != tc.told {
			t.Errorf("%s, %s read: told %v (%q)", tc.family, tc.read, told, last.Text)
		}
	}
}
