package provider

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"fusebox/agent"
	"fusebox/agent/provider/history"
)

// bySDK encodes a whole request at once, with the SDK.
func (o *outgoing) bySDK() ([]byte, error) {
	params := o.params()
	params.Messages = o.sdkMessages()
	for _, spec := range o.req.Tools {
		params.Tools = append(params.Tools, newTool(spec))
	}
	return json.Marshal(params)
}

func (o *outgoing) sdkMessages() []openai.ChatCompletionMessageParamUnion {
	list := make([]openai.ChatCompletionMessageParamUnion, 0, len(o.history)+1)
	if o.req.System != "" && !o.inUser {
		list = append(list, openai.SystemMessage(o.req.System))
	}
	for _, m := range o.turns() {
		list = append(list, o.sdkMessage(m))
	}
	return list
}

// turns are the messages as they are sent: those of one side in a row are one.
func (o *outgoing) turns() (list []agent.Message) {
	for _, m := range o.history {
		last := len(list) - 1
		switch {
		case last >= 0 && m.Role == agent.FromUser && (list[last].Role == agent.FromUser && m.ID != "" || list[last].Role == agent.FromTool && o.alternate):
			list = append(list, agent.Message{Role: agent.FromAssistant, Content: "Noted."}, m)
		case last < 0 || m.Role == agent.FromTool || m.Role != list[last].Role || len(list[last].ToolCalls) > 0:
			list = append(list, m)
		default:
			if before := list[last]; strings.TrimSpace(m.Content) == "" {
				m.Content = before.Content
			} else if strings.TrimSpace(before.Content) != "" {
				m.Content = before.Content + "\n\n" + m.Content
			}
			if m.Data == nil {
				m.Data = list[last].Data
			}
			list[last] = m
		}
	}
	for i, m := range list {
		if m.Role != agent.FromAssistant && strings.TrimSpace(m.Content) == "" {
			list[i].Content = "(empty)"
		}
	}
	return list
}

func (o *outgoing) sdkMessage(m agent.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case agent.FromAssistant:
		return o.sdkAssistant(m)
	case agent.FromTool:
		return openai.ToolMessage(m.Content, m.ToolCallID)
	default:
		return openai.UserMessage(m.Content)
	}
}

func (o *outgoing) sdkAssistant(m agent.Message) openai.ChatCompletionMessageParamUnion {
	var out openai.ChatCompletionAssistantMessageParam
	out.Content.OfString = param.NewOpt(m.Content)
	if m.Content == "" {
		out.Content.OfString = param.Null[string]()
	}
	own := history.ReadSignatures(m.Data)
	if own.From != o.from {
		m.Reasoning = ""
	}
	if own.SignedBy != o.signer {
		own = history.Signatures{}
	}
	extra := map[string]any{}
	if own.Message != nil {
		extra["extra_content"] = own.Message
	}
	if o.reasoning && len(m.ToolCalls) > 0 {
		extra["reasoning_content"] = m.Reasoning
	}
	if len(extra) > 0 {
		out.SetExtraFields(extra)
	}
	for i, c := range m.ToolCalls {
		call := &openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments},
		}
		sig := own.Calls[i]
		if o.signed && i == 0 && sig == nil {
			sig = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)
		}
		if sig != nil {
			call.SetExtraFields(map[string]any{"extra_content": sig})
		}
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &out}
}
