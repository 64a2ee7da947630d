package wire

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// taken is what the choices of a chunk say, one after the other.
type taken struct {
	Text, Reasoning, Failure string
	Calls                    []string
	Input, Output            int64
}

// arrivals has one row for each habit, of the same name: a chunk that is read
// right with it and wrong without it.
var arrivals = map[string]struct {
	chunk string
	want  taken
}{
	"message-for-delta":               {`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`, taken{Text: "Hi"}},
	"other-choices":                   {`{"choices":[{"index":0,"delta":{"content":"Hi"}},{"index":1,"delta":{"content":"Ho"}}]}`, taken{Text: "Hi"}},
	"error-in-choice":                 {`{"choices":[{"index":0,"delta":{"content":"x"},"error":{"code":400,"message":"bad"}}]}`, taken{Failure: "bad"}},
	"usage-in-x-groq":                 {`{"choices":[],"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":2}}}`, taken{Input: 3, Output: 2}},
	"usage-in-choice":                 {`{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":3,"completion_tokens":2}}]}`, taken{Input: 3, Output: 2}},
	"refusal-for-content":             {`{"choices":[{"delta":{"content":null,"refusal":"I will not."}}]}`, taken{Text: "I will not."}},
	"reasoning-in-parts":              {`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}}]}`, taken{Reasoning: "Hm."}},
	"reasoning-for-reasoning-content": {`{"choices":[{"delta":{"reasoning":"Hm."}}]}`, taken{Reasoning: "Hm."}},
	"reasoning-details":               {`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.summary","summary":"H"},{"type":"reasoning.text","text":"m."}]}}]}`, taken{Reasoning: "Hm."}},
	"function-call":                   {`{"choices":[{"delta":{"function_call":{"name":"now","arguments":"{}"}}}]}`, taken{Calls: []string{"now{}"}}},
}

// take reads one chunk under the given rows.
func take(t *testing.T, body string, rows []habit) (got taken) {
	t.Helper()
	var c Chunk
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	for _, h := range rows {
		h.undo(&c)
	}
	if f := (*Failure)(nil); errors.As(c.Failure(), &f) {
		return taken{Failure: f.text}
	}
	counts := c.Figures()
	got.Input, got.Output = counts.Input, counts.Output
	for _, ch := range c.Choices {
		if ch.Delta == nil {
			continue
		}
		got.Text += ch.Delta.Content.Text
		got.Reasoning += string(ch.Delta.ReasoningContent)
		for _, f := range ch.Delta.ToolCalls {
			got.Calls = append(got.Calls, string(f.Function.Name+f.Function.Arguments))
		}
	}
	return got
}

func TestEveryArrivalHasItsRow(t *testing.T) {
	t.Parallel()
	for _, h := range habits {
		tc, ok := arrivals[h.name]
		if !ok {
			t.Errorf("%s has no test", h.name)
			continue
		}
		if diff := cmp.Diff(tc.want, take(t, tc.chunk, habits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", h.name, diff)
		}
		others := slices.DeleteFunc(slices.Clone(habits), func(o habit) bool { return o.name == h.name })
		if cmp.Equal(tc.want, take(t, tc.chunk, others)) {
			t.Errorf("%s: the chunk is read right without the row too", h.name)
		}
	}
}
