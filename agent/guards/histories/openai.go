package histories

import (
	"encoding/json"
	"fmt"
)

// openAIMessage is a message of the chat completions API.
type openAIMessage struct {
	Role         string          `json:"role"`
	Content      json.RawMessage `json:"content"`
	Name         string          `json:"name"`
	ToolCallID   string          `json:"tool_call_id"`
	ToolCalls    []openAICall    `json:"tool_calls"`
	FunctionCall *openAIFunction `json:"function_call"`
}

type openAICall struct {
	ID       string         `json:"id"`
	Function openAIFunction `json:"function"`
	Custom   *struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"custom"`
}

type openAIFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func looksLikeOpenAI(first []byte) bool { return firstMessage(first)["role"] != nil }

func readOpenAI(data []byte) ([]History, error) { return readChats(data, readOpenAIMessage) }

func readOpenAIMessage(raw json.RawMessage) (chatMessage, error) {
	var m openAIMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return chatMessage{}, fmt.Errorf("is not a message: %w", err)
	}
	text, err := contentOf(m.Content)
	out := chatMessage{text: text, answers: m.ToolCallID}
	switch m.Role {
	case "user":
		out.from = fromPerson
	case "assistant":
		out.from, out.calls = fromAssistant, openAICalls(m.ToolCalls)
		if f := m.FunctionCall; f != nil {
			out.calls = append(out.calls, chatCall{functionID(f.Name), f.Name, f.Arguments})
		}
	case "tool":
		out.from = fromTool
	case "function":
		out.from, out.answers = fromTool, functionID(m.Name)
	case "system", "developer":
		out.from = fromOthers
	default:
		return out, fmt.Errorf("the role %q is not known; allowed: system, developer, user, assistant, tool, function", m.Role)
	}
	return out, err
}

// functionID stands for the id that calls of the older kind do not have.
func functionID(name string) string { return "function " + name }

func openAICalls(calls []openAICall) []chatCall {
	var all []chatCall
	for _, c := range calls {
		if c.Custom != nil {
			all = append(all, chatCall{c.ID, c.Custom.Name, c.Custom.Input})
			continue
		}
		all = append(all, chatCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return all
}
