package provider

import (
	"encoding/json"

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
	switch {
	case o.req.System == "":
	case o.inUser:
		list = append(list, openai.UserMessage(o.req.System))
	default:
		list = append(list, openai.SystemMessage(o.req.System))
	}
	for _, m := range o.history {
		list = append(list, o.sdkMessage(m))
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
