package historytest

import "fusebox/agent"

// Says is a message of a person.
func Says(text string) agent.Message { return agent.Message{Role: agent.FromUser, Content: text} }

// Answers is a text of a model.
func Answers(text string) agent.Message {
	return agent.Message{Role: agent.FromAssistant, Content: text}
}

// Asks is an answer with calls of a tool f, by their ids.
func Asks(ids ...string) agent.Message {
	m := agent.Message{Role: agent.FromAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, agent.CallRequest{ID: id, Name: "f", Arguments: "{}"})
	}
	return m
}

// Result is the result of a call.
func Result(id, text string) agent.Message {
	return agent.Message{Role: agent.FromTool, ToolCallID: id, Content: text}
}
