package demo

import (
	"net/http"
	"strings"
	"testing"

	"fusebox/agent/demo/strict"
)

// exchange asks for calls and returns the answer with its results, ready to be
// sent back.
func (w rawClient) exchange(model string) (answer object, messages []any) {
	w.t.Helper()
	body := ask(model, "test chain 2", false)
	answer = w.whole(body)["message"].(object)
	messages = append(list(body["messages"]), answer)
	for _, c := range list(answer["tool_calls"]) {
		messages = append(messages, object{"role": "tool", "tool_call_id": c.(object)["id"], "content": "3"})
	}
	return answer, messages
}

func firstCall(answer object) object { return list(answer["tool_calls"])[0].(object) }

func sign(call object, signature string) {
	call["extra_content"] = object{"google": object{"thought_signature": signature}}
}

// TestWhatWasSentMustComeBack: the server knows its own calls.
func TestWhatWasSentMustComeBack(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		model  string
		change func(answer object)
		want   string
	}{
		"deepseek, as sent":             {"demo:deepseek", func(object) {}, ""},
		"deepseek, emptied":             {"demo:deepseek", func(a object) { a["reasoning_content"] = "" }, "messages[1]: the `reasoning_content`"},
		"kimi, as sent":                 {"demo:kimi", func(object) {}, ""},
		"kimi, other words":             {"demo:kimi", func(a object) { a["reasoning_content"] = "Well." }, "rule reasoning-back"},
		"kimi, left out":                {"demo:kimi", func(a object) { delete(a, "reasoning_content") }, "rule reasoning-back"},
		"gemini, as sent":               {"demo:gemini", func(object) {}, ""},
		"gemini, left out":              {"demo:gemini", func(a object) { delete(firstCall(a), "extra_content") }, "messages[1]: the function call"},
		"gemini, the dummy":             {"demo:gemini", func(a object) { sign(firstCall(a), strict.DummySignature) }, "rule signatures-back"},
		"gemini, signed twice":          {"demo:gemini", func(a object) { sign(list(a["tool_calls"])[1].(object), strict.DummySignature) }, "rule signatures-back"},
		"ollama, reasoning taken out":   {"demo:ollama", func(a object) { delete(a, "reasoning") }, ""},
		"mistral, thinking as content":  {"demo:mistral", func(object) {}, ""},
		"mistral, thinking taken out":   {"demo:mistral", func(a object) { a["content"] = nil }, ""},
		"qwen, reasoning sent back too": {"demo:qwen", func(object) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRawClient(t, Options{})
			answer, messages := w.exchange(row.model)
			row.change(answer)
			status, raw, _ := w.post(object{"model": row.model, "messages": messages})
			if row.want == "" && status != http.StatusOK {
				t.Errorf("status %d: %s", status, raw)
			}
			if row.want != "" && (status != http.StatusBadRequest || !strings.Contains(string(raw), row.want)) {
				t.Errorf("status %d, want a refusal with %q: %s", status, row.want, raw)
			}
		})
	}
}

// TestAnotherFamilysCallsAreForeign: a conversation may change its model.
func TestAnotherFamilysCallsAreForeign(t *testing.T) {
	t.Parallel()
	w := newRawClient(t, Options{})
	answer, messages := w.exchange("demo:deepseek")
	answer["reasoning_content"] = ""
	if status, raw, _ := w.post(object{"model": "demo:kimi", "messages": messages}); status != http.StatusOK {
		t.Errorf("kimi: status %d: %s", status, raw)
	}
	delete(answer, "reasoning_content")
	sign(firstCall(answer), strict.DummySignature)
	if status, raw, _ := w.post(object{"model": "demo:gemini", "messages": messages}); status != http.StatusOK {
		t.Errorf("gemini: status %d: %s", status, raw)
	}
}

// TestSignaturesOutliveTheServer: a conversation goes on after a restart.
func TestSignaturesOutliveTheServer(t *testing.T) {
	t.Parallel()
	_, messages := newRawClient(t, Options{}).exchange("demo:gemini")
	if status, raw, _ := newRawClient(t, Options{}).post(object{"model": "demo:gemini", "messages": messages}); status != http.StatusOK {
		t.Errorf("status %d: %s", status, raw)
	}
}
