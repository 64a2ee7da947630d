package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
)

// sent is a request on the wire.
type sent struct {
	Stream        bool           `json:"stream"`
	StreamOptions map[string]any `json:"stream_options"`
	Messages      []sentMessage  `json:"messages"`
	raw           map[string]any
}

type sentMessage struct {
	Role      string `json:"role"`
	Content   any    `json:"content"`
	Reasoning any    `json:"reasoning_content"`
	ToolCalls []struct {
		ID    string         `json:"id"`
		Extra map[string]any `json:"extra_content"`
	} `json:"tool_calls"`
}

func (m sentMessage) ofTools() bool { return m.Role == "tool" || len(m.ToolCalls) > 0 }

func read(t *testing.T, body string) sent {
	t.Helper()
	var s sent
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(body), &s.raw); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s sent) has(key string) bool { _, ok := s.raw[key]; return ok }

// departures has one row for each row of onLeaving that a refusal teaches: the
// refusal, and what is true of every request once it is learned.
var departures = map[string]struct {
	refusal string
	obeys   func(sent) bool
}{
	"reasoning-goes-back":         {"The reasoning_content in the thinking mode must be passed back to the API.", func(s sent) bool { return s.Messages[2].Reasoning == "" }},
	"thought-signature-goes-back": {"Function call is missing a thought_signature in functionCall parts.", func(s sent) bool { return s.Messages[2].ToolCalls[0].Extra != nil }},
	"no-stream-with-tools":        {"This model doesn't support tool use in streaming mode.", nil}, // TestStreamsWithToolsAreRefused
	"no-stream":                   {"Streaming is not supported by this deployment.", nil},
	"no-extra-content":            {"Unrecognized request argument supplied: messages[1].tool_calls[0].extra_content", nil}, // TestSignaturesThatAreRefused
	"thinking-only-in-streams":    {"parameter.enable_thinking must be set to false for non-streaming calls", nil},
	"only-streams":                {"This model only support stream mode, please enable the stream parameter.", nil},
	"no-stream-options":           {"Unrecognized request argument supplied: stream_options", func(s sent) bool { return !s.has("stream_options") }},
	"no-parallel-tool-calls":      {"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.", func(s sent) bool { return !s.has("parallel_tool_calls") }},
	"no-temperature":              {"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", func(s sent) bool { return !s.has("temperature") }},
	"no-tool-choice":              {"The tool_choice parameter does not support being set to required or object in thinking mode", func(s sent) bool { return !s.has("tool_choice") }},
	"no-response-format":          {"response_format is not supported by this model", func(s sent) bool { return !s.has("response_format") }},
	"max-completion-tokens": {"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		func(s sent) bool { return !s.has("max_tokens") && s.raw["max_completion_tokens"] == 100.0 }},
	"no-max-completion-tokens": {"Unknown parameter: 'max_completion_tokens'.", func(s sent) bool { return !s.has("max_completion_tokens") && s.has("max_tokens") }},
	"no-thinking-switch":       {"Unrecognized request argument supplied: enable_thinking", func(s sent) bool { return !s.has("enable_thinking") }},
	"no-thinking-budget":       {"Extra inputs are not permitted: thinking_budget", func(s sent) bool { return !s.has("thinking_budget") }},
	"no-thinking":              {"Unknown parameter: 'thinking'.", func(s sent) bool { return !s.has("thinking") }},
	"no-reasoning-effort":      {"Unsupported value: 'reasoning_effort' does not support 'none' with this model.", func(s sent) bool { return !s.has("reasoning_effort") }},
	"no-system-role":           {"System role not supported", func(s sent) bool { return s.Messages[0].Role == "user" && s.Messages[0].Content == "Be kind.\n\nhi" }},
	"roles-alternate":          {"Conversation roles must alternate user/assistant/user/assistant/...", nil}, // TestStrictTemplates
	"no-empty-content":         {"messages[2]: content of an assistant message must not be empty", func(s sent) bool { return s.Messages[2].Content != nil }},
	"no-images":                {"This model does not support image input.", nil}, // TestPicturesThatAreRefused
	"without-these-images":     {"Could not process image", nil},                  // the same
	"no-calls-in-history": {"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
		func(s sent) bool { return !slices.ContainsFunc(s.Messages, sentMessage.ofTools) }},
}

// talkative is a request that has everything an endpoint may refuse.
func talkative() agent.Request {
	return agent.Request{
		Model: "m", System: "Be kind.", MaxTokens: 100, Schema: json.RawMessage(`{"type":"object"}`),
		Messages: []agent.Message{
			{Role: agent.FromUser, Content: "hi"},
			{Role: agent.FromAssistant, Reasoning: "another's", ToolCalls: streamtest.Calls(agent.CallRequest{ID: "a", Name: "f", Arguments: "{}"})},
			{Role: agent.FromTool, ToolCallID: "a", Content: "r"},
		},
	}
}

func everyKey(c *Config) {
	c.Models = []Model{{Name: "m", Extra: map[string]any{
		"temperature": 0.2, "parallel_tool_calls": true, "tool_choice": "required",
		"enable_thinking": true, "thinking_budget": 100, "thinking": map[string]string{"type": "enabled"}, "reasoning_effort": "low",
	}}}
}

// TestRefusalsTeach: a refused request is made once more without what was
// refused, and the next one leaves it out at once.
func TestRefusalsTeach(t *testing.T) {
	t.Parallel()
	for _, q := range onLeaving {
		tc, ok := departures[q.name]
		if !ok {
			t.Errorf("%s has no test", q.name)
			continue
		}
		if tc.obeys == nil {
			continue // TestAnswersInOnePieceObey
		}
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			refusal, _ := json.Marshal(map[string]any{"error": map[string]any{"message": tc.refusal, "type": "invalid_request_error"}})
			var srv *script
			srv = serve(t, func(w http.ResponseWriter, r *http.Request) {
				body := srv.requests()
				if !tc.obeys(read(t, body[len(body)-1])) {
					status(http.StatusBadRequest, string(refusal))(w, r)
					return
				}
				raw(streamtest.Good)(w, r)
			})
			p, _ := newProvider(t, srv.URL, everyKey, func(c *Config) {
				if q.name == "no-max-completion-tokens" {
					c.Models[0].Extra["max_completion_tokens"] = 50
				}
			})
			w := &watcher{}
			for range 2 {
				if _, err := p.Complete(t.Context(), talkative(), w.sink); err != nil {
					t.Fatal(err)
				}
			}
			want := 3
			if q.once {
				want = 4 // it is our bug, not the model's habit
			}
			if n := len(srv.requests()); n != want || len(w.retries()) != 0 {
				t.Errorf("%d requests, %d waits; want %d and none", n, len(w.retries()), want)
			}
		})
	}
}

// TestRefusalsThatTeachNothing end the call: a refusal that stays is not asked for ever.
func TestRefusalsThatTeachNothing(t *testing.T) {
	t.Parallel()
	for refusal, want := range map[string]int{
		"max_tokens is too large: 100. This model has at most 50 completion tokens.": 2,
		"Your message is impolite.": 1,
		"Unsupported parameter: 'temperature' is not supported with this model.": 2,
	} {
		srv := serve(t, status(http.StatusBadRequest, `{"error":{"message":"`+refusal+`"}}`))
		p, _ := newProvider(t, srv.URL, everyKey)
		_, err := p.Complete(t.Context(), talkative(), (&watcher{}).sink)
		if n := len(srv.requests()); n != want || err == nil || !strings.Contains(err.Error(), refusal[:20]) {
			t.Errorf("%s: %d requests, want %d; %v", refusal, n, want, err)
		}
	}
}

// TestAnswersInOnePieceObey what endpoints ask of requests that do not stream.
func TestAnswersInOnePieceObey(t *testing.T) {
	t.Parallel()
	tools := []agent.ToolSpec{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}}
	thinks := func(c *Config) {
		c.Family = Qwen
		c.Models = []Model{{Name: "m", WholeWithTools: true, Extra: map[string]any{"enable_thinking": true}}}
	}
	whole := `{"choices":[{"message":{"content":"Good."},"finish_reason":"stop"}]}`
	srv := serve(t, raw(whole))
	p, clk := newProvider(t, srv.URL, thinks)
	w := &watcher{clk: clk}
	req := hello()
	req.Tools = tools
	ctx := t.Context()
	w.stop = func(agent.Delta) error { hurry(clk, frame); return nil }
	got, err := p.Complete(ctx, req, w.sink)
	if s := read(t, srv.requests()[0]); err != nil || got.Content != "Good." || s.Stream || s.raw["enable_thinking"] != false {
		t.Errorf("%v, sent %v", err, s.raw)
	}
	if len(w.deltas) != 5 {
		t.Errorf("the text came in %d pieces, want it typed out", len(w.deltas))
	}

	srv = serve(t, status(http.StatusBadRequest, `{"error":{"message":"`+departures["only-streams"].refusal+`"}}`), raw(streamtest.Good))
	p, clk = newProvider(t, srv.URL, func(c *Config) { c.Models = []Model{{Name: "m", WholeWithTools: true}} })
	if _, err := p.Complete(ctx, req, w.sink); err == nil {
		if list := srv.requests(); read(t, list[0]).Stream || !read(t, list[1]).Stream {
			t.Error("the second request does not stream")
		}
	} else {
		t.Error(err)
	}
}

// TestReasoningGoesBack to where it was made and nowhere else; signatures
// likewise, word for word.
func TestReasoningGoesBack(t *testing.T) {
	t.Parallel()
	answer := `{"choices":[{"message":{"reasoning_content":"I see.","tool_calls":[` +
		`{"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},` +
		`{"id":"b","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	for _, tc := range []struct {
		made, asked Family
		reasoning   any
		signature   string
	}{
		{DeepSeek, DeepSeek, "I see.", "c2ln"}, {Kimi, Kimi, "I see.", "c2ln"}, {Gemini, DeepSeek, "", ""}, {DeepSeek, Plain, nil, ""}, {Plain, Plain, nil, "c2ln"},
		{Gemini, Gemini, nil, "c2ln"}, {DeepSeek, Gemini, nil, "skip_thought_signature_validator"},
	} {
		srv := serve(t, raw(answer), raw(streamtest.Good))
		maker, _ := newProvider(t, srv.URL, func(c *Config) { c.Family = tc.made })
		made, err := maker.Complete(t.Context(), hello(), (&watcher{}).sink)
		if err != nil {
			t.Fatal(err)
		}
		req := hello()
		req.Messages = append(req.Messages, agent.Message{Role: agent.FromAssistant, Reasoning: made.Reasoning, ToolCalls: made.Calls, Data: made.Data},
			agent.Message{Role: agent.FromTool, ToolCallID: "a", Content: "r"}, agent.Message{Role: agent.FromTool, ToolCallID: "b", Content: "r"})
		asked, _ := newProvider(t, srv.URL, func(c *Config) {
			c.Family = tc.asked
			if tc.asked != tc.made {
				c.Name = "another"
			}
		})
		if _, err := asked.Complete(t.Context(), req, (&watcher{}).sink); err != nil {
			t.Fatal(err)
		}
		m := read(t, srv.requests()[1]).Messages[1]
		if m.Reasoning != tc.reasoning {
			t.Errorf("%s to %s: reasoning %v, want %v", tc.made, tc.asked, m.Reasoning, tc.reasoning)
		}
		google, _ := m.ToolCalls[0].Extra["google"].(map[string]any)
		if sig, _ := google["thought_signature"].(string); sig != tc.signature || m.ToolCalls[1].Extra != nil {
			t.Errorf("%s to %s: signature %q, want %q", tc.made, tc.asked, sig, tc.signature)
		}
	}
}
