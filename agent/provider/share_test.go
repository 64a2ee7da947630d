package provider

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/streamtest"
)

// TestRefusalsThatNameTheOutput: where prompt and output are too long together, or the
// output alone is, less is asked for, at once from then on. The rows are asked for 8192.
func TestRefusalsThatNameTheOutput(t *testing.T) {
	t.Parallel()
	const both = 7110 // of 8192, beside a prompt of 1018
	for said, want := range map[string]int64{
		"This endpoint's maximum context length is 8192 tokens. However, you requested about 9210 tokens (1018 of text input, 8192 in the output). Please reduce the length of either one.":                  both,
		"This endpoint's maximum context length is 8192 tokens. However, you requested about 9,210 tokens (518 of text input, 500 of tool input, 8,192 in the output).":                                      both,
		"This model's maximum context length is 8,192 tokens. However, you requested 9,210 tokens (1,018 in the messages, 8,192 in the completion). Please reduce the length of the messages or completion.": both,
		"This model's maximum context length is 8192 tokens. However, you requested 9210 tokens (700 in the messages, 318 in the functions, and 8192 in the completion).":                                    both,
		"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 1018 input tokens (8192 > 8192 - 1018). None":                   both,
		"This model's maximum context length is 8192 tokens. However, you requested 8192 output tokens and your prompt contains at least 1018 input tokens, for a total of at least 9210 tokens.":            both,
		"Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9210 tokens: 1018 tokens from the input messages and 8192 tokens for the completion.":     both,
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 1018 `inputs` tokens and 8192 `max_new_tokens`":                                                                  both,
		"input length and `max_tokens` exceed context limit: 1018 + 8192 > 8192, decrease input length or `max_tokens` and try again":                                                                        both,
		"max_new_tokens (8192) + prompt (1018) exceeds the context window of 8192":                                                                                                                           both,
		"input (1018 tokens) plus max_tokens (8192) is greater than n_ctx (8192)":                                                                                                                            both,
		"Prompt length 1018 + max_tokens 8192 exceeds max_model_len 8192":                                                                                                                                    both,
		"max_completion_tokens(8192) + input tokens(1018) > model max context(8192)":                                                                                                                         both,
		"Invalid request: Your request exceeded model token limit: 8192 (requested: 9210)":                                                                                                                   both,
		"Please reduce the length of the messages or completion. Current length is 9210 while limit is 8192":                                                                                                 both,
		"This model's maximum context length is 8192 tokens. Please reduce the length of the messages or completion.":                                                                                        0, // as much as we find room for
		"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.":                                                                                      4096,
		"Invalid 'max_tokens': integer above maximum value. Expected a value <= 4096, but got 8192 instead.":                                                                                                 4096,
		"max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307":                                                                                          4096,
		"Invalid max_tokens value, the valid range of max_tokens is [1, 4096]":                                                                                                                               4096,
		"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 2000]":                                                                                                                 2000,
		"`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the `context_window`":                                                                            4096,
		"The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.":                                                                   4095,
		"Unable to submit request because it has a maxOutputTokens value of 8192 but the supported range is from 1 (inclusive) to 4097 (exclusive).":                                                         4096,
		"max_tokens 参数超过模型限制，取值范围为 [1, 4096]":                                                                                                                                                                4096,
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, status(400, errorBodyQuoted(said)), raw(streamtest.Good))
			p, _ := newProvider(t, srv.URL)
			req := hello()
			req.MaxTokens = outputLimit
			for range 2 {
				if _, err := p.Complete(agenttest.Context(t), req, (&watcher{}).sink); err != nil {
					t.Fatal(err)
				}
			}
			bodies := srv.requests()
			if len(bodies) != 3 {
				t.Fatalf("%d requests, want one more than once", len(bodies))
			}
			for i, body := range bodies[1:] {
				got := int64(limitOf(t, body)[oldLimitName].(float64))
				if got >= outputLimit || want > 0 && i == 0 && got != want || want == 0 && got < 7000 {
					t.Errorf("request %d asks for %d, want %d", i+1, got, want)
				}
			}
		})
	}
}

// TestRefusalsOfThePrompt: less output does not help there; the caller has to make the
// prompt shorter.
func TestRefusalsOfThePrompt(t *testing.T) {
	t.Parallel()
	for said, code := range map[string]int{
		"This model's maximum context length is 8192 tokens. However, you requested 17384 tokens (9192 in the messages, 8192 in the completion).": 400,
		"This model's maximum context length is 8192 tokens. However, you requested 16300 tokens (8108 in the messages, 8192 in the completion).": 400,
		"prompt is too long: 210000 tokens > 200000 maximum":                                                              400,
		"request (9210 tokens) exceeds the available context size (8192 tokens), try increasing it":                       400,
		"This model's maximum context length is 20 tokens. Please reduce the length of the messages or completion.":       400,
		"This model's maximum context length is 8192 tokens.":                                                             400,
		"Request too large on tokens per minute (TPM): Limit 6000, Requested 9210, please reduce your message size":       413,
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576), not max_tokens of 8192.": 400,
	} {
		srv := serve(t, status(code, errorBodyQuoted(said)))
		p, _ := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 0 })
		req := hello()
		req.MaxTokens = outputLimit
		_, err := p.Complete(agenttest.Context(t), req, (&watcher{}).sink)
		var failed *agent.ProviderError
		if n := len(srv.requests()); !errors.As(err, &failed) || !failed.TooLong || n != 1 {
			t.Errorf("%s: %v after %d requests", said, err, n)
		}
	}
}

// TestALeastOutputIsNoMost: a refusal that wants more output teaches nothing.
func TestALeastOutputIsNoMost(t *testing.T) {
	t.Parallel()
	srv := serve(t, status(400, errorBodyQuoted("max_tokens must be at least 1024, the limit of the thinking budget")), status(400, errorBodyQuoted("max_tokens is out of range: at least 1024")))
	p, _ := newProvider(t, srv.URL, func(c *Config) { c.Retry.Max = 0 })
	req := hello()
	req.MaxTokens = outputLimit
	for n := range 2 {
		if _, err := p.Complete(agenttest.Context(t), req, (&watcher{}).sink); err == nil || len(srv.requests()) != n+1 {
			t.Fatalf("%v after %d requests", err, len(srv.requests()))
		}
	}
}

// TestAnEndlessRefusal: an endpoint that refuses whatever is asked for comes to an end.
func TestAnEndlessRefusal(t *testing.T) {
	t.Parallel()
	var srv *script
	srv = serve(t, func(w http.ResponseWriter, r *http.Request) {
		bodies := srv.requests()
		asked := limitOf(t, bodies[len(bodies)-1])[oldLimitName]
		status(400, errorBodyQuoted(fmt.Sprintf("max_tokens of %v is too large, at most %v", asked, asked.(float64)-1)))(w, r)
	})
	p, _ := newProvider(t, srv.URL)
	req := hello()
	req.MaxTokens = outputLimit
	if _, err := p.Complete(agenttest.Context(t), req, (&watcher{}).sink); err == nil || len(srv.requests()) > maxLessened+1 {
		t.Errorf("%v after %d requests", err, len(srv.requests()))
	}
}

// TestASmallWindowIsKnown: to whoever plans the next prompt.
func TestASmallWindowIsKnown(t *testing.T) {
	t.Parallel()
	said := "maximum context length is 8192 tokens. However, you requested 9210 tokens (1018 in the messages, 8192 in the completion)"
	for _, configured := range []int64{0, 128_000, 4096} {
		srv := serve(t, status(400, errorBodyQuoted(said)), raw(streamtest.Good))
		p, _ := newProvider(t, srv.URL, func(c *Config) { c.Window = configured })
		r, err := NewRouter(Endpoints{Offered: []*Provider{p}}, nil)
		must(t, err)
		req := hello()
		req.MaxTokens = outputLimit
		if _, err := r.Complete(agenttest.Context(t), req, (&watcher{}).sink); err != nil {
			t.Fatal(err)
		}
		if got := r.Window("m"); got != 8192 && (configured != 4096 || got != 4096) {
			t.Errorf("the window is %d, configured as %d", got, configured)
		}
	}
}

// errorBodyQuoted is errorBody of a text with any characters.
func errorBodyQuoted(message string) string {
	return `{"error":{"message":` + streamtest.Quoted(message) + `,"code":400}}`
}
