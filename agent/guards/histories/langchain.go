package histories

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// langChainMessage has the fields of a LangChain message, of whichever type.
type langChainMessage struct {
	Content          json.RawMessage `json:"content"`
	Name             string          `json:"name"`
	ToolCalls        []langChainCall `json:"tool_calls"`
	InvalidToolCalls []langChainCall `json:"invalid_tool_calls"`
	ToolCallID       string          `json:"tool_call_id"`
	Status           string          `json:"status"`
	More             struct {
		ToolCalls []openAICall `json:"tool_calls"`
	} `json:"additional_kwargs"`
}

type langChainCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// langChainTypes maps the types of messages to whom they are from.
var langChainTypes = map[string]string{
	"human": fromPerson, "ai": fromAssistant, "tool": fromTool, "system": fromOthers, "developer": fromOthers,
}

func looksLikeLangChain(first []byte) bool {
	m := firstMessage(first)
	if m == nil || m["role"] != nil {
		return false
	}
	_, known := langChainTypes[langChainType(m)]
	return known
}

// langChainType is the type of a message in either form: "ai", or the class
// AIMessage of a serialised object.
func langChainType(m map[string]json.RawMessage) string {
	var name string
	var class []string
	_ = json.Unmarshal(m["type"], &name)
	if m["lc"] != nil && json.Unmarshal(m["id"], &class) == nil && len(class) > 0 {
		name = class[len(class)-1]
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, "Chunk"), "Message"))
}

func readLangChain(data []byte) ([]History, error) { return readChats(data, readLangChainMessage) }

// readLangChainMessage reads a message whose fields stand in it, in its "data",
// or in the "kwargs" of a serialised object.
func readLangChainMessage(raw json.RawMessage) (chatMessage, error) {
	outer := fields(raw)
	kind := langChainType(outer)
	from, ok := langChainTypes[kind]
	if !ok {
		return chatMessage{}, fmt.Errorf("the type %q is not known; allowed: human, ai, tool, system, developer", kind)
	}
	for _, key := range []string{"kwargs", "data"} {
		if outer[key] != nil {
			raw = outer[key]
		}
	}
	var m langChainMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return chatMessage{}, fmt.Errorf("is not a message: %w", err)
	}
	text, err := contentOf(m.Content)
	out := chatMessage{from: from, text: text, answers: m.ToolCallID, failed: m.Status == "error"}
	for _, c := range slices.Concat(m.ToolCalls, m.InvalidToolCalls) {
		out.calls = append(out.calls, chatCall{c.ID, c.Name, c.Args})
	}
	if out.calls == nil { // older versions have only the provider's own
		out.calls = openAICalls(m.More.ToolCalls)
	}
	return out, err
}
