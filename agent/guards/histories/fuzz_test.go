package histories

import (
	"testing"

	"fusebox/agent"
)

// FuzzRead: whatever is in a file, it is read or refused with a reason, in every format.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", "[[]]", "[null]", "{}", `{"messages":[[]]}`, `{"trajectory":[null]}`, `{"turn":true}`,
		`[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"look"}}]},{"role":"tool","tool_call_id":"c","content":["x",{"text":"y"}]}]`,
		`[{"lc":1,"id":["AIMessage"],"kwargs":{"tool_calls":[{"id":"c","name":"look","args":{}}]}},{"type":"tool","data":{"tool_call_id":"c","status":"error"}}]`,
		`{"trajectory":[{"thought":"so","action":"edit 1:2","observation":"done"}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","startTimeUnixNano":"1","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.output.messages","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[]}}]}}}]}]}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range append(Formats(), "") {
			_, err := Read(data, format)
			if err != nil && (agent.CodeOf(err) != agent.Invalid || agent.MessageOf(err) == "") {
				t.Errorf("%s: %v", format, err)
			}
		}
	})
}
