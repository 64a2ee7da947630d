package demo

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// refusals collects what a server says it refused.
type refusals struct {
	mu      sync.Mutex
	reasons []string
}

func (r *refusals) add(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reasons = append(r.reasons, reason)
}

func (r *refusals) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.reasons) == 0 {
		return ""
	}
	return r.reasons[len(r.reasons)-1]
}

const (
	hi     = `{"role":"user","content":"hi"}`
	callA  = `{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}`
	callB  = `{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}`
	doneA  = `{"role":"tool","tool_call_id":"a","content":"1"}`
	doneB  = `{"role":"tool","tool_call_id":"b","content":""}`
	dummy  = `,"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}`
	forced = `"tool_choice":{"type":"function","function":{"name":"f"}},"tools":[{"type":"function","function":{"name":"f"}}]`
)

// called is an answer with calls, and more keys beside them.
func called(more string, calls ...string) string {
	return `{"role":"assistant","content":null` + more + `,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func signed(c string) string { return strings.TrimSuffix(c, "}") + dummy }

// dress is what each family wants around calls from elsewhere.
var dress = map[Family]struct {
	more string
	call func(string) string
}{
	"deepseek": {`,"reasoning_content":""`, same}, "kimi": {`,"reasoning_content":"I thought."`, same},
	"qwen": {"", same}, "ollama": {"", same}, "gemini": {"", signed}, "mistral": {"", same},
}

func same(c string) string { return c }

// TestPositionalRules: the rules that all families have.
func TestPositionalRules(t *testing.T) {
	t.Parallel()
	for family, d := range dress {
		w, refused := newStrict(t, family)
		a, b := d.call(callA), callB
		both, one, two := called(d.more, a, b), called(d.more, a), called(d.more, d.call(callB))
		named := func(name string) string {
			return called(d.more, strings.Replace(a, `"name":"f"`, `"name":"`+name+`"`, 1))
		}
		with := func(args string) string {
			return called(d.more, strings.Replace(a, `"{\"x\":1}"`, args, 1))
		}
		for name, row := range map[string]struct {
			messages []string
			want     string
		}{
			"good":                 {[]string{`{"role":"system","content":"Help."}`, hi, both, doneA, doneB, hi, `{"role":"assistant","content":"Hello."}`, hi}, ""},
			"results swapped":      {[]string{hi, both, doneB, doneA}, ""},
			"two answers":          {[]string{hi, one, doneA, two, doneB}, ""},
			"no result":            {[]string{hi, one}, "messages[1]: an assistant message with 'tool_calls' must be followed"},
			"one result of two":    {[]string{hi, both, doneA, hi}, "messages[1]: an assistant message with 'tool_calls' must be followed"},
			"a person in between":  {[]string{hi, both, doneA, hi, doneB}, "rule results-follow-calls"},
			"an answer in between": {[]string{hi, one, two, doneB}, "messages[1]: an assistant message with 'tool_calls' must be followed"},
			"a result too many":    {[]string{hi, one, doneA, doneA}, "messages[3]: a message with role 'tool' must be a response"},
			"a result from nowhere": {
				[]string{hi, one, doneA, doneB}, "rule orphan-result"},
			"a result first":           {[]string{`{"role":"system","content":"Help."}`, doneA, hi}, "messages[1]: a message with role 'tool' cannot be the first"},
			"an id twice in an answer": {[]string{hi, called(d.more, a, a), doneA, hi}, "messages[1]: the id \"a\" of a tool call is empty or taken (rule unique-ids)"},
			"an id twice":              {[]string{hi, one, doneA, one, doneA}, "messages[3]: the id \"a\""},
			"no id":                    {[]string{hi, called(d.more, strings.Replace(a, `"id":"a"`, `"id":""`, 1)), strings.Replace(doneA, `"a"`, `""`, 1)}, "rule unique-ids"},
			"no arguments":             {[]string{hi, with(`""`), doneA}, "messages[1]: the arguments of the tool call \"a\" are not a JSON object"},
			"null arguments":           {[]string{hi, with(`"null"`), doneA}, "rule object-arguments"},
			"half of the arguments":    {[]string{hi, with(`"{\"x\":"`), doneA}, "rule object-arguments"},
			"no name":                  {[]string{hi, named(""), doneA}, "messages[1]: the name \"\" of a tool call"},
			"a name with a dot":        {[]string{hi, named("f.g"), doneA}, "rule tool-names"},
			"a long name":              {[]string{hi, named(strings.Repeat("f", 65)), doneA}, "rule tool-names"},
			"a name of 64":             {[]string{hi, named(strings.Repeat("f", 64)), doneA}, ""},
			"an empty answer":          {[]string{hi, `{"role":"assistant","content":""}`, hi}, "messages[1]: an assistant message must have content or tool_calls (rule empty-answer)"},
		} {
			w.expect(refused, string(family)+", "+name, asking("", row.messages...), row.want)
		}
	}
}

// TestFamilyRules: what one family asks for, another refuses.
func TestFamilyRules(t *testing.T) {
	t.Parallel()
	const thought = `,"reasoning_content":"I thought."`
	bare, thoughtful := []string{hi, called("", callA), doneA}, []string{hi, called(thought, callA), doneA}
	signature := []string{hi, called("", signed(callA), callB), doneA, doneB}
	for _, row := range []struct {
		families string
		name     string
		keys     string
		messages []string
		want     string
	}{
		{"deepseek kimi", "no reasoning", "", bare, "messages[1]: thinking is enabled but `reasoning_content` is missing"},
		{"deepseek kimi", "null reasoning", "", []string{hi, called(`,"reasoning_content":null`, callA), doneA}, "messages[1]: `reasoning_content` must be a string"},
		{"deepseek kimi", "empty reasoning", "", []string{hi, called(`,"reasoning_content":""`, callA), doneA}, ""},
		{"deepseek kimi", "reasoning from elsewhere", "", thoughtful, ""},
		{"deepseek kimi", "no reasoning beside text", "", []string{hi, `{"role":"assistant","content":"Hello."}`, hi}, ""},
		{"qwen ollama", "reasoning, ignored", "", thoughtful, ""},
		{"gemini mistral openai", "reasoning_content", "", []string{hi, `{"role":"assistant","content":"Hello.","reasoning_content":""}`, hi}, "messages[1]: unknown field: `reasoning_content`"},
		{"gemini mistral openai", "reasoning", "", []string{hi, `{"role":"assistant","content":"Hello.","reasoning":"x"}`, hi}, "rule no-reasoning"},
		{"qwen ollama mistral", "bare calls", "", bare, ""},
		{"deepseek kimi qwen", "forced call", forced, []string{hi}, "tool_choice parameter does not support"},
		{"deepseek kimi qwen", "required call", `"tool_choice":"required","tools":[{"type":"function","function":{"name":"f"}}]`, []string{hi}, "rule free-choice"},
		{"deepseek kimi qwen", "free choice", `"tool_choice":"auto"`, []string{hi}, ""},
		{"deepseek kimi qwen", "no choice", `"tool_choice":"none"`, []string{hi}, ""},
		{"ollama gemini mistral", "forced call", forced, []string{hi}, ""},
		{"gemini", "no signature", "", bare, "messages[1]: the function call \"a\" is missing its thought_signature"},
		{"gemini", "another signature", "", []string{hi, called("", strings.Replace(signed(callA), "skip", "stop", 1)), doneA}, "rule signatures-back"},
		{"gemini", "only the second is signed", "", []string{hi, called("", callA, signed(callB)), doneA, doneB}, "rule signatures-back"},
		{"gemini", "the first is signed", "", signature, ""},
		{"qwen ollama mistral", "signature", "", signature, "messages[1]: unknown field: `extra_content`"},
		{"deepseek kimi", "signature", "", []string{hi, called(thought, signed(callA)), doneA}, "rule no-extra-content"},
		{"mistral", "extra content of a message", "", []string{hi, `{"role":"assistant","content":"Hello.","extra_content":{}}`, hi}, "messages[1]: unknown field: `extra_content`"},
		{"qwen", "thinking in one piece", `"enable_thinking":true`, []string{hi}, "parameter.enable_thinking must be set to false for non-streaming calls"},
		{"qwen", "thinking in a stream", `"enable_thinking":true,"stream":true`, []string{hi}, ""},
		{"qwen", "no thinking in one piece", `"enable_thinking":false`, []string{hi}, ""},
		{"ollama", "thinking in one piece", `"enable_thinking":true`, []string{hi}, ""},
		{"mistral", "an answer last", "", []string{hi, `{"role":"assistant","content":"Hello."}`}, "messages[1]: Expected last role User or Tool for serving but got assistant"},
		{"mistral", "a result last", "", bare, ""},
		{"mistral", "a person behind a result", "", append(bare[:3:3], hi), ""},
		{"qwen ollama gemini", "an answer last", "", []string{hi, `{"role":"assistant","content":"Hello."}`}, ""},
	} {
		for family := range strings.FieldsSeq(row.families) {
			w, refused := newStrict(t, Family(family))
			w.expect(refused, family+", "+row.name, asking(row.keys, row.messages...), row.want)
		}
	}
}

// TestPlainDemoIsNoStricter: the families' rules are theirs alone.
func TestPlainDemoIsNoStricter(t *testing.T) {
	t.Parallel()
	refused := &refusals{}
	w := newRawClient(t, Options{OnRefused: refused.add})
	odd := called(`,"reasoning_content":"x"`, strings.Replace(signed(callA), `"{\"x\":1}"`, `""`, 1))
	w.expect(refused, "plain", strings.Replace(asking(forced, hi, odd, doneA), "any-model", "demo", 1), "")
	w.expect(refused, "family", strings.Replace(asking("", hi, called("", callA), doneA), "any-model", "demo:kimi", 1), "rule reasoning-back")
}

func newStrict(t *testing.T, f Family) (rawClient, *refusals) {
	t.Helper()
	refused := &refusals{}
	return newRawClient(t, Options{Strict: f, OnRefused: refused.add}), refused
}

// asking is a request of messages and, where keys is not empty, more keys.
func asking(keys string, messages ...string) string {
	if keys != "" {
		keys = "," + keys
	}
	return `{"model":"any-model"` + keys + `,"messages":[` + strings.Join(messages, ",") + `]}`
}

// expect posts a body. want is part of the refusal, "" where there is none.
func (w rawClient) expect(refused *refusals, name, body, want string) {
	w.t.Helper()
	var request object
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		w.t.Fatalf("%s: %v in %s", name, err, body)
	}
	before := refused.last()
	status, raw, err := w.post(request)
	if want == "" {
		if status != http.StatusOK || err != nil || refused.last() != before {
			w.t.Errorf("%s: status %d, %v: %s", name, status, err, raw)
		}
		return
	}
	var e struct {
		Error struct{ Message, Type string } `json:"error"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || status != http.StatusBadRequest || e.Error.Type != "invalid_request_error" ||
		!strings.Contains(e.Error.Message, want) || !strings.Contains(e.Error.Message, "(rule ") || refused.last() != e.Error.Message {
		w.t.Errorf("%s: status %d, want a refusal with %q: %s; told %q", name, status, want, raw, refused.last())
	}
}
