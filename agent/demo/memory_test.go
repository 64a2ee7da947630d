package demo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// exchange asks for calls and returns the answer with its results, ready to be
// sent back.
func (w wire) exchange(model string) (answer object, messages []any) {
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
		"gemini, the dummy":             {"demo:gemini", func(a object) { sign(firstCall(a), dummySignature) }, "rule signatures-back"},
		"gemini, signed twice":          {"demo:gemini", func(a object) { sign(list(a["tool_calls"])[1].(object), dummySignature) }, "rule signatures-back"},
		"ollama, reasoning taken out":   {"demo:ollama", func(a object) { delete(a, "reasoning") }, ""},
		"mistral, thinking as content":  {"demo:mistral", func(object) {}, ""},
		"mistral, thinking taken out":   {"demo:mistral", func(a object) { a["content"] = nil }, ""},
		"qwen, reasoning sent back too": {"demo:qwen", func(object) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t, Options{})
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
	w := newWire(t, Options{})
	answer, messages := w.exchange("demo:deepseek")
	answer["reasoning_content"] = ""
	if status, raw, _ := w.post(object{"model": "demo:kimi", "messages": messages}); status != http.StatusOK {
		t.Errorf("kimi: status %d: %s", status, raw)
	}
	delete(answer, "reasoning_content")
	sign(firstCall(answer), dummySignature)
	if status, raw, _ := w.post(object{"model": "demo:gemini", "messages": messages}); status != http.StatusOK {
		t.Errorf("gemini: status %d: %s", status, raw)
	}
}

// TestSignaturesOutliveTheServer: a conversation goes on after a restart.
func TestSignaturesOutliveTheServer(t *testing.T) {
	t.Parallel()
	_, messages := newWire(t, Options{}).exchange("demo:gemini")
	if status, raw, _ := newWire(t, Options{}).post(object{"model": "demo:gemini", "messages": messages}); status != http.StatusOK {
		t.Errorf("status %d: %s", status, raw)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var m memory
	for i := range maxCallsRemembered + 1 {
		m.remember(completion{family: family{name: "kimi"}, message: wireMessage{ToolCalls: []wireCall{{ID: fmt.Sprint(i)}}}})
	}
	if _, known := m.recall("kimi", "0"); known || len(m.calls) != maxCallsRemembered || len(m.order) != maxCallsRemembered {
		t.Errorf("the oldest is known: %v; %d calls, %d in order", known, len(m.calls), len(m.order))
	}
	if _, known := m.recall("kimi", fmt.Sprint(maxCallsRemembered)); !known {
		t.Error("the newest is forgotten")
	}
	if _, known := m.recall("deepseek", "1"); known {
		t.Error("another family's call is known")
	}
}
