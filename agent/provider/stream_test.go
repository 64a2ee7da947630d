package provider

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"fusebox/agent"
	"fusebox/agent/agenttest"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/provider/wire"
)

func weatherIn(id, city string) agent.CallRequest {
	return agent.CallRequest{ID: id, Name: "get_weather", Arguments: `{"city":"` + city + `"}`}
}

type streamCase struct {
	name string
	body string
	want agent.Completion // Usage is checked where it is not estimated
}

var streamCases = []streamCase{
	{"text with usage in a last chunk",
		streamtest.SSE(`{"model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, streamtest.Delta(`"content":"Hel"`), streamtest.Delta(`"content":"lo"`), streamtest.Finish("stop"), streamtest.UsageChunk, streamtest.Done),
		agent.Completion{Content: "Hello", FinishReason: "stop", Model: "gpt", Usage: streamtest.Usage}},
	{"carriage returns and line feeds",
		strings.ReplaceAll(streamtest.SSE(streamtest.Delta(`"content":"a"`), streamtest.Finish("stop"), streamtest.Done), "\n", "\r\n"),
		agent.Completion{Content: "a", FinishReason: "stop"}},
	{"carriage returns alone, a byte order mark",
		"\xEF\xBB\xBF" + strings.ReplaceAll(streamtest.SSE(streamtest.Delta(`"content":"a"`), streamtest.Finish("stop"), streamtest.Done), "\n", "\r"),
		agent.Completion{Content: "a", FinishReason: "stop"}},
	{"no space after the colon, no last blank line",
		"data:" + streamtest.Delta(`"content":"a"`) + "\n\ndata:" + streamtest.Finish("stop"),
		agent.Completion{Content: "a", FinishReason: "stop"}},
	{"comments, empty and null data, unknown fields, event names",
		": hi\n\n:\n: again\n\nevent: message\nid: 7\nretry: 1\ndata: " + streamtest.Delta(`"content":"a"`) + "\n\ndata:\n\ndata: null\n\ndata\n\n" + streamtest.SSE(streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Content: "a", FinishReason: "stop"}},
	{"one event over several data lines",
		"data: {\"choices\":\ndata: [{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n" + streamtest.SSE(streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Content: "a", FinishReason: "stop"}},
	{"several chunks as lines of one event",
		"data: " + streamtest.Delta(`"content":"a"`) + "\ndata: " + streamtest.Delta(`"content":"b"`) + "\n\n" + streamtest.SSE(streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Content: "ab", FinishReason: "stop"}},
	{"filter results first, error null, another choice, a refusal",
		streamtest.SSE(`{"choices":[],"prompt_filter_results":[{}]}`, `{"error":null,"choices":[{"index":0,"delta":{"content":null,"refusal":"No."}},{"index":1,"delta":{"content":"x"}}]}`, streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Content: "No.", FinishReason: "stop"}},
	{"finish reason twice, then null; usage cumulative, then null",
		streamtest.SSE(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":11,"completion_tokens":1}}`, streamtest.Finish("length"), streamtest.Finish("stop"), `{"choices":[{"delta":{},"finish_reason":null}],"usage":{"prompt_tokens":11,"completion_tokens":5,"cached_tokens":3}}`, `{"choices":[],"usage":null}`, streamtest.Done),
		agent.Completion{Content: "a", FinishReason: "stop", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 11, OutputTokens: 5, CachedTokens: 3}}}},
	{"usage beside the vendor's name; reasoning counted beside the completion",
		streamtest.SSE(streamtest.Delta(`"content":"a"`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":5}}}}`, streamtest.Done),
		agent.Completion{Content: "a", FinishReason: "stop", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 10, OutputTokens: 7, ReasoningTokens: 5}}}},
	{"no finish reason, but the end mark",
		streamtest.SSE(streamtest.Delta(`"content":"a"`), streamtest.Done), agent.Completion{Content: "a"}},
	{"reasoning in its fields, the first one preferred",
		streamtest.SSE(streamtest.Delta(`"reasoning_content":"r1","reasoning":"r1"`), streamtest.Delta(`"reasoning":"r2"`), streamtest.Delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"r3"}]},{"type":"text","text":"a"}]`), streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Content: "a", Reasoning: "r1r2r3", FinishReason: "stop"}},
	{"calls by index, interleaved",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_weather","arguments":""}`), streamtest.ToolCall(`"index":1,"id":"b","function":{"name":"get_weather","arguments":""}`),
			streamtest.ToolCall(`"index":0,"function":{"arguments":"{\"city\":"}`), streamtest.ToolCall(`"index":1,"function":{"arguments":"{\"city\":\"B\"}"}`), streamtest.ToolCall(`"index":0,"id":"","function":{"name":null,"arguments":"\"A\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A"), weatherIn("b", "B")), FinishReason: "tool_calls"}},
	{"whole calls, all at index 0",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"A\"}"}`), streamtest.ToolCall(`"index":0,"id":"b","function":{"name":"get_weather","arguments":"{\"city\":\"B\"}"}`), streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A"), weatherIn("b", "B")), FinishReason: "stop"}},
	{"whole calls without index and id",
		streamtest.SSE(streamtest.ToolCall(`"function":{"name":"get_weather","arguments":{"city":"A"}}`), streamtest.ToolCall(`"function":{"name":"get_weather","arguments":{"city":"B"}}`), streamtest.Finish("stop"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("call_1", "A"), weatherIn("call_2", "B")), FinishReason: "stop"}},
	{"fragments without index and id go to the latest call",
		streamtest.SSE(streamtest.ToolCall(`"id":"a","function":{"name":"get_weather"}`), streamtest.ToolCall(`"function":{"arguments":"{\"city\":"}`), streamtest.ToolCall(`"id":"b","function":{"name":"get_weather"}`), streamtest.ToolCall(`"function":{"arguments":"{\"city\":\"B\"}"}`), streamtest.ToolCall(`"id":"a","function":{"arguments":"\"A\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A"), weatherIn("b", "B")), FinishReason: "tool_calls"}},
	{"one id for two calls",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"x","function":{"name":"get_weather","arguments":"{\"city\":\"A\"}"}`), streamtest.ToolCall(`"index":1,"id":"x","function":{"name":"get_weather","arguments":"{\"city\":"}`), streamtest.ToolCall(`"index":1,"id":"x","function":{"arguments":"\"B\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("x", "A"), weatherIn("call_1", "B")), FinishReason: "tool_calls"}},
	{"the id after the name",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"function":{"name":"get_weather"}`), streamtest.ToolCall(`"index":0,"id":"a","function":{"arguments":"{\"city\":\"A\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A")), FinishReason: "tool_calls"}},
	{"the name in every fragment",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_weather","arguments":"{\"city\""}`), streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_weather","arguments":":\"A\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A")), FinishReason: "tool_calls"}},
	{"the name in two halves",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_"}`), streamtest.ToolCall(`"index":0,"function":{"name":"weather"}`), streamtest.ToolCall(`"index":0,"function":{"arguments":"{\"city\":\"A\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A")), FinishReason: "tool_calls"}},
	{"the whole call once more beside the finish reason",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"A\"}"}`), `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"A\"}"}}]},"finish_reason":"tool_calls"}]}`, streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A")), FinishReason: "tool_calls"}},
	{"empty arguments first, the true ones later",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"get_weather","arguments":"{}"}`), streamtest.ToolCall(`"index":0,"function":{"arguments":"{\"city\":\"A\"}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(weatherIn("a", "A")), FinishReason: "tool_calls"}},
	{"no arguments are an empty object; calls from index 1 on; one without a name is dropped",
		streamtest.SSE(streamtest.ToolCall(`"index":1,"id":"a","function":{"name":"now","arguments":null}`), streamtest.ToolCall(`"index":2,"function":{}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(agent.CallRequest{ID: "a", Name: "now", Arguments: "{}"}), FinishReason: "tool_calls"}},
	{"broken arguments of a whole answer are the model's own mistake",
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1}{\"a\":2}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
		agent.Completion{Calls: streamtest.Calls(agent.CallRequest{ID: "a", Name: "f", Arguments: `{"a":1}{"a":2}`}), FinishReason: "tool_calls"}},
	{"filtered to nothing", streamtest.SSE(streamtest.Finish("content_filter"), streamtest.Done), agent.Completion{FinishReason: "content_filter"}},
	{"a whole completion instead of a stream",
		"\n  " + `{"model":"gpt","choices":[{"index":0,"message":{"content":"Hi","tool_calls":[{"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"A\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":"2"}}`,
		agent.Completion{Content: "Hi", Calls: streamtest.Calls(weatherIn("a", "A")), FinishReason: "tool_calls", Model: "gpt", Usage: agent.Usage{Tokens: agent.Tokens{InputTokens: 3, OutputTokens: 2}}}},
}

// feed reads a body through everything between the wire and the completion.
func feed(body io.Reader, w *watcher) (*answer.Accumulator, error) {
	acc := answer.NewAccumulator(history.New(), answer.NewOutput(w.sink), nil)
	dog := &watchdog{clock: agenttest.NewClock(), wake: make(chan struct{}, 1)}
	s, err := wire.Open(body, dog.sawData)
	if err != nil {
		return acc, err
	}
	return acc, acc.Read(s, dog.sawFinish)
}

func TestStreamsBecomeCompletions(t *testing.T) {
	t.Parallel()
	for _, tc := range streamCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, raw(tc.body))
			p, clk := newProvider(t, srv.URL)
			w := &watcher{clk: clk}
			got, err := complete(t, p, w)
			if err != nil {
				t.Fatal(err)
			}
			if (tc.want.Usage == agent.Usage{}) != got.Usage.Estimated {
				t.Errorf("usage %+v", got.Usage)
			}
			if got.Usage.Estimated {
				tc.want.Usage = got.Usage
			}
			if got.Tries != 1 || got.Spent.Total() != got.Usage {
				t.Errorf("%d tries took %+v", got.Tries, got.Spent)
			}
			got.Spent, got.Tries = nil, 0
			got.Data = nil // what goes back is request_test.go's
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("completion (-want +got):\n%s", diff)
			}
			if n := len(srv.requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestDeltasAreTheCompletion is true for any split of the bytes.
func TestDeltasAreTheCompletion(t *testing.T) {
	t.Parallel()
	for _, tc := range streamCases {
		for name, split := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "with error": iotest.DataErrReader,
		} {
			w := &watcher{}
			acc, err := feed(split(strings.NewReader(tc.body)), w)
			if err != nil {
				t.Errorf("%s, %s: %v", tc.name, name, err)
			}
			got, want := w.assembled(), acc.Completion()
			want.FinishReason, want.Model = "", ""
			if tc.want.FinishReason == "length" {
				got.Calls = got.Calls[:len(want.Calls)] // the half call was seen, and is dropped
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: deltas differ (-completion +deltas):\n%s", tc.name, name, diff)
			}
			if diff := cmp.Diff(tc.want.Calls, acc.Completion().Calls); diff != "" || acc.Completion().Content != tc.want.Content {
				t.Errorf("%s, %s: %q, calls (-want +got):\n%s", tc.name, name, acc.Completion().Content, diff)
			}
		}
	}
}

// TestACutIsNeverSuccess cuts streams at every byte.
func TestACutIsNeverSuccess(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		streamtest.SSE(streamtest.Delta(`"content":"你好"`), streamtest.Delta(`"content":"b"`), streamtest.Finish("stop"), streamtest.UsageChunk, streamtest.Done),
		streamtest.SSE(streamtest.ToolCall(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":"}`), streamtest.ToolCall(`"index":0,"function":{"arguments":"1}"}`), streamtest.Finish("tool_calls"), streamtest.Done),
	} {
		finished := strings.Index(body, `"finish_reason":`)
		for n := range len(body) {
			for _, end := range []error{nil, errors.New("reset by peer")} {
				var r io.Reader = strings.NewReader(body[:n])
				if end != nil {
					r = io.MultiReader(r, iotest.ErrReader(end))
				}
				acc, err := feed(r, &watcher{})
				if err == nil && n < finished {
					t.Fatalf("cut at %d (%v) is a success: %q", n, end, body[:n])
				}
				if err != nil && n < finished && len(acc.Completion().Calls) > 0 && acc.Completion().FinishReason != "" {
					t.Fatalf("cut at %d has calls", n)
				}
			}
		}
	}
}

func TestAnswersHaveBounds(t *testing.T) {
	t.Parallel()
	endless := func(prefix, piece string) io.Reader {
		return io.MultiReader(strings.NewReader(prefix), &repeat{piece: piece})
	}
	long := strings.Repeat("a", 1<<18)
	for name, body := range map[string]io.Reader{
		"a line":   endless("data: ", long),
		"comments": endless("", ": "+long+"\n"),
		"an event": endless("", "data: "+long+"\n"),
		"a JSON":   endless(`{"a":"`, long),
		"spaces":   endless("", strings.Repeat(" ", 1<<18)),
	} {
		if _, err := feed(body, &watcher{}); err == nil {
			t.Errorf("%s without end was read", name)
		}
	}
}

// repeat gives the same piece for ever, in whole pieces.
type repeat struct{ piece, rest string }

func (r *repeat) Read(p []byte) (int, error) {
	if r.rest == "" {
		r.rest = r.piece
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestALongLineIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 1<<20)
	acc, err := feed(strings.NewReader(streamtest.SSE(streamtest.Delta(`"content":"`+text+`"`), streamtest.Finish("stop"))), &watcher{})
	if err != nil || len(acc.Completion().Content) != len(text) {
		t.Errorf("%d of %d bytes, %v", len(acc.Completion().Content), len(text), err)
	}
}

// TestCutStreamsCountWhatIsKnown: a stream that its reader ends takes the
// figures that the provider has sent so far, and an estimate where there are none.
func TestCutStreamsCountWhatIsKnown(t *testing.T) {
	t.Parallel()
	told := `{"choices":[{"index":0,"delta":{"content":"again "}}],"usage":{"prompt_tokens":70,"completion_tokens":4,"total_tokens":74}}`
	for _, tc := range []struct {
		name, first string
		want        agent.Usage
	}{
		{"told", told, agent.Usage{Tokens: agent.Tokens{InputTokens: 70, OutputTokens: 4}}},
		{"not told", streamtest.Delta(`"content":"again "`), agent.Usage{Estimated: true}},
	} {
		srv := serve(t, raw(streamtest.SSE(tc.first, streamtest.Delta(`"content":"again "`), streamtest.Finish("stop"))))
		p, _ := newProvider(t, srv.URL)
		enough := errors.New("enough")
		seen := 0
		c, err := p.Complete(t.Context(), agent.Request{Model: "m", Messages: []agent.Message{{Role: agent.FromUser, Content: "hi"}}}, func(agent.Delta) error {
			if seen++; seen == 2 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Fatalf("%s: err = %v", tc.name, err)
		}
		if c.Usage.Estimated != tc.want.Estimated || (!tc.want.Estimated && c.Usage != tc.want) || c.Usage.InputTokens == 0 {
			t.Errorf("%s: usage %+v, want %+v", tc.name, c.Usage, tc.want)
		}
	}
}
