package provider

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"fusebox/agent"
)

// newParams maps a request with a sound history to the wire. tool_choice is
// left out: thinking modes refuse anything but its default.
func newParams(req agent.Request, history []agent.Message) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:         req.Model,
		Messages:      make([]openai.ChatCompletionMessageParamUnion, 0, len(history)+1),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if req.System != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(req.System))
	}
	for _, m := range history {
		params.Messages = append(params.Messages, newMessage(m))
	}
	for _, spec := range req.Tools {
		params.Tools = append(params.Tools, newTool(spec))
	}
	if req.Schema != nil {
		params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
				JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
					Name: "answer", Schema: req.Schema, Strict: param.NewOpt(true),
				},
			},
		}
	}
	if req.MaxTokens > 0 {
		params.MaxTokens = param.NewOpt(req.MaxTokens)
	}
	return params
}

func newMessage(m agent.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case agent.FromAssistant:
		return newAssistantMessage(m)
	case agent.FromTool:
		return openai.ToolMessage(m.Content, m.ToolCallID)
	default:
		return openai.UserMessage(m.Content)
	}
}

// newAssistantMessage sends content null beside calls, as the model itself
// did: some servers want the key, others refuse an empty text.
func newAssistantMessage(m agent.Message) openai.ChatCompletionMessageParamUnion {
	var out openai.ChatCompletionAssistantMessageParam
	out.Content.OfString = param.NewOpt(m.Content)
	if m.Content == "" {
		out.Content.OfString = param.Null[string]()
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &out}
}

func newTool(spec agent.ToolSpec) openai.ChatCompletionToolUnionParam {
	def := shared.FunctionDefinitionParam{Name: spec.Name, Description: param.NewOpt(spec.Description)}
	if json.Unmarshal(spec.Parameters, &def.Parameters) != nil {
		def.Parameters = nil // no schema is the empty list of parameters
	}
	return openai.ChatCompletionFunctionTool(def)
}
