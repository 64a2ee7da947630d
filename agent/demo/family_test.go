package demo

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// habits are how a stream with two calls is written.
type habits struct {
	Comments   int
	Reasoning  string // where it stands
	Fragments  string // how a call is spread
	Indexes    []any  // of the fragments; nil for one without
	LaterID    any    // of a call's later fragments
	Signed     []bool // by call
	Finish     string
	WithCalls  bool  // the finish reason is in the chunk of a call
	Pending    []any // the finish reasons before the last
	Usage      string
	CacheTold  bool
	ContentIsA string // string or list
}

func TestFamiliesHaveTheirHabits(t *testing.T) {
	t.Parallel()
	pieces := []any{0.0, 0.0, 0.0, 1.0, 1.0, 1.0}
	plain := habits{
		Fragments: "pieces", Indexes: pieces, Signed: []bool{false, false}, Finish: "tool_calls",
		Pending: []any{nil}, Usage: "own chunk", ContentIsA: "string",
	}
	like := func(change func(*habits)) habits {
		h := plain
		change(&h)
		return h
	}
	for model, want := range map[string]habits{
		"demo": plain,
		"demo:deepseek": like(func(h *habits) {
			h.Comments, h.Reasoning, h.CacheTold = 2, "reasoning_content", true
		}),
		"demo:kimi": like(func(h *habits) { h.Reasoning, h.Usage = "reasoning_content", "last choice" }),
		"demo:qwen": like(func(h *habits) {
			h.Reasoning, h.LaterID, h.Pending = "reasoning_content", "", []any{nil, ""}
		}),
		"demo:ollama": like(func(h *habits) {
			h.Reasoning, h.Fragments, h.Indexes, h.Finish, h.Usage = "reasoning", "a delta each", []any{0.0, 0.0}, "stop", "last chunk"
		}),
		"demo:gemini": like(func(h *habits) {
			h.Fragments, h.Indexes, h.Signed = "one delta", []any{nil, nil}, []bool{true, false}
			h.Finish, h.WithCalls, h.Usage = "stop", true, "every chunk"
		}),
		"demo:mistral": like(func(h *habits) {
			h.Reasoning, h.Fragments, h.Indexes = "content", "one delta", []any{nil, nil}
			h.WithCalls, h.Usage, h.ContentIsA = true, "last chunk", "list"
		}),
	} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			w := newRawClient(t, Options{})
			calls := w.stream(model, "test chain 2")
			got := calls.habits()
			got.ContentIsA = w.stream(model, "hello").contentKind()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("habits (-want +got):\n%s", diff)
			}
		})
	}
}

// habits reads off the raw chunks how they are written.
func (e events) habits() habits {
	h := habits{Comments: e.comments}
	withCalls, told := 0, 0
	for i, chunk := range e.chunks {
		finish, delta, ok := choice(chunk)
		if bill, has := chunk["usage"].(object); has {
			told++
			h.Usage = map[bool]string{true: "last chunk", false: "own chunk"}[ok]
			_, h.CacheTold = bill["prompt_cache_hit_tokens"]
		}
		if !ok {
			continue
		}
		if list(chunk["choices"])[0].(object)["usage"] != nil {
			h.Usage = "last choice"
		}
		fragments := list(delta["tool_calls"])
		if len(fragments) > 0 {
			withCalls++
		}
		for _, f := range fragments {
			h.fragment(f.(object))
		}
		h.reasoning(delta)
		if text, _ := finish.(string); text != "" {
			h.Finish, h.WithCalls = text, len(fragments) > 0
		} else if i < 2 && !slices.Contains(h.Pending, finish) {
			h.Pending = append(h.Pending, finish)
		}
	}
	if told == len(e.chunks) {
		h.Usage = "every chunk"
	}
	switch withCalls {
	case 1:
		h.Fragments = "one delta"
	case len(h.Signed):
		h.Fragments = "a delta each"
	default:
		h.Fragments = "pieces"
	}
	return h
}

func (h *habits) fragment(f object) {
	h.Indexes = append(h.Indexes, f["index"])
	if f["function"].(object)["name"] == nil {
		h.LaterID = f["id"]
		return
	}
	_, signed := f["extra_content"]
	h.Signed = append(h.Signed, signed)
}

func (h *habits) reasoning(delta object) {
	for _, key := range []string{"reasoning_content", "reasoning"} {
		if delta[key] != nil {
			h.Reasoning = key
		}
	}
	for _, p := range list(delta["content"]) {
		if p.(object)["type"] == "thinking" {
			h.Reasoning = "content"
		}
	}
}

func (e events) contentKind() string {
	kind := ""
	for _, chunk := range e.chunks {
		_, delta, _ := choice(chunk)
		switch content := delta["content"].(type) {
		case string:
			if content != "" {
				kind = "string"
			}
		case []any:
			kind = "list"
		}
	}
	return kind
}

// TestFamiliesSayTheSame: the habits differ, the answer does not.
func TestFamiliesSayTheSame(t *testing.T) {
	t.Parallel()
	w := newRawClient(t, Options{})
	want := w.stream(Model, "who are you?").spoken()
	for _, f := range Families() {
		model := Model + ":" + string(f)
		if diff := cmp.Diff(want, w.stream(model, "who are you?").spoken()); diff != "" {
			t.Errorf("%s, text (-want +got):\n%s", f, diff)
		}
		calls := spoken{Calls: []string{`calculator{"expression":"2+1"}`, `calculator{"expression":"2+2"}`}}
		if f != "gemini" {
			calls.Reasoning = "I need the tool calculator for this."
		}
		if diff := cmp.Diff(calls, w.stream(model, "test chain 2").spoken()); diff != "" {
			t.Errorf("%s, calls (-want +got):\n%s", f, diff)
		}
	}
}

func TestUsageGrowsToTheWhole(t *testing.T) {
	t.Parallel()
	w := newRawClient(t, Options{})
	want := w.stream(Model, "who are you?").usages()
	got := w.stream("demo:gemini", "who are you?").usages()
	for i := 1; i < len(got); i++ {
		if got[i].(object)["completion_tokens"].(float64) < got[i-1].(object)["completion_tokens"].(float64) {
			t.Fatalf("usage falls: %v", got)
		}
	}
	if diff := cmp.Diff(want[0], got[len(got)-1]); diff != "" {
		t.Errorf("the last usage (-want +got):\n%s", diff)
	}
}

func (e events) usages() []any {
	var found []any
	for _, chunk := range e.chunks {
		if chunk["usage"] != nil {
			found = append(found, chunk["usage"])
		}
	}
	return found
}

// TestFamiliesAnswerInOnePiece: an answer that is not streamed has the same habits.
func TestFamiliesAnswerInOnePiece(t *testing.T) {
	t.Parallel()
	const reason = "I need the tool calculator for this."
	for model, want := range map[string]struct {
		message object // without the calls
		finish  string
		id      string
	}{
		"demo":          {object{"content": nil}, "tool_calls", `^call_\w+$`},
		"demo:deepseek": {object{"content": nil, "reasoning_content": reason}, "tool_calls", `^call_\w+$`},
		"demo:kimi":     {object{"content": nil, "reasoning_content": reason}, "tool_calls", `^call_\w+$`},
		"demo:qwen":     {object{"content": nil, "reasoning_content": reason}, "tool_calls", `^call_\w+$`},
		"demo:ollama":   {object{"content": nil, "reasoning": reason}, "stop", `^call_\w+$`},
		"demo:gemini":   {object{"content": nil}, "stop", `^call_\w+$`},
		"demo:mistral": {object{"content": []any{
			object{"type": "thinking", "thinking": []any{object{"type": "text", "text": reason}}},
		}}, "tool_calls", `^[a-zA-Z0-9]{9}$`},
	} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			got := newRawClient(t, Options{}).whole(ask(model, "test chain 2", false))
			message := got["message"].(object)
			calls := list(message["tool_calls"])
			delete(message, "tool_calls")
			want.message["role"] = "assistant"
			if diff := cmp.Diff(want.message, message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if got["finish_reason"] != want.finish || len(calls) != 2 {
				t.Errorf("finish reason %v, %d calls", got["finish_reason"], len(calls))
			}
			for i, c := range calls {
				_, signed := c.(object)["extra_content"]
				if id := c.(object)["id"].(string); !regexp.MustCompile(want.id).MatchString(id) || signed != (i == 0 && model == "demo:gemini") {
					t.Errorf("call %d: id %q, signed %v", i, id, signed)
				}
			}
		})
	}
}

// TestPartsOfAMessageAreJoined: reasoning and text stand in one content array.
func TestPartsOfAMessageAreJoined(t *testing.T) {
	t.Parallel()
	got := newRawClient(t, Options{}).whole(ask("demo:mistral", "test thinking", false))
	parts := list(got["message"].(object)["content"])
	if len(parts) != 2 || parts[0].(object)["type"] != "thinking" || parts[1].(object)["type"] != "text" {
		t.Errorf("content %v", parts)
	}
}

func TestModelsListsTheFamilies(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		strict Family
		want   []string
	}{
		{"", []string{"demo", "demo:deepseek", "demo:kimi", "demo:qwen", "demo:ollama", "demo:gemini", "demo:mistral"}},
		{"kimi", []string{"demo"}},
	} {
		res, err := http.Get(newRawClient(t, Options{Strict: row.strict}).url + "/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		var models struct{ Data []struct{ ID string } }
		if err := json.Unmarshal(raw, &models); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range models.Data {
			got = append(got, m.ID)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("strict %q (-want +got):\n%s", row.strict, diff)
		}
	}
}

func TestUnknownFamilies(t *testing.T) {
	t.Parallel()
	if status, raw, _ := newRawClient(t, Options{}).post(ask("demo:nobody", "hello", false)); status != http.StatusNotFound || !strings.Contains(string(raw), "model_not_found") {
		t.Errorf("status %d: %s", status, raw)
	}
	if _, err := ParseFamily("nobody"); err == nil || !strings.Contains(err.Error(), `"nobody" is not allowed; allowed: openai, deepseek, kimi, qwen`) {
		t.Errorf("ParseFamily: %v", err)
	}
	for name, want := range map[string]Family{"qwen": "qwen", "dashscope": "qwen", "moonshot": "kimi", "openai": "openai"} {
		if f, err := ParseFamily(name); f != want || err != nil {
			t.Errorf("ParseFamily(%q) = %q, %v", name, f, err)
		}
	}
}
