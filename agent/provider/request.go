package provider

import (
	"encoding/json"
	"maps"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"fusebox/agent"
)

// outgoing is a request before it is written: a sound history, the SDK's
// parameters, and what accompanies them.
type outgoing struct {
	req     agent.Request
	history []agent.Message
	as      form
	// extra are top-level keys; they win over the parameters.
	extra map[string]any
	// drop are parameters that are left out, renamed those of the other name.
	drop     map[string]bool
	newLimit bool // the limit is called max_completion_tokens
	// inUser puts the system prompt into a message of the person.
	inUser bool
	// from is the endpoint and its family: reasoning goes back only to where
	// it was made.
	from                  string
	reasoning, signatures bool
}

func newOutgoing(q question, from string) *outgoing {
	o := &outgoing{req: q.req, history: q.history, as: q.as, from: from, extra: maps.Clone(q.model.Extra), drop: make(map[string]bool)}
	if o.extra == nil {
		o.extra = make(map[string]any)
	}
	return o
}

// The remedies of quirk.go.

func without(name string) func(*outgoing) {
	return func(o *outgoing) {
		o.drop[name] = true
		delete(o.extra, name)
	}
}

func renameMax(o *outgoing) {
	o.newLimit = true
	delete(o.extra, oldLimitName)
}

func withReasoning(o *outgoing)       { o.reasoning = true }
func withSignatures(o *outgoing)      { o.signatures = true }
func (o *outgoing) systemAsUser()     { o.inUser = true }
func (o *outgoing) flatten()          { o.history = flatten(o.history) }
func (o *outgoing) has(n string) bool { return !o.drop[n] }

// params writes the request. tool_choice is left out: thinking modes refuse
// anything but its default.
func (o *outgoing) params() openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: o.req.Model, Messages: o.messages()}
	for _, spec := range o.req.Tools {
		params.Tools = append(params.Tools, newTool(spec))
	}
	if o.as == inPieces && o.has("stream_options") {
		params.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	if o.req.Schema != nil && o.has("response_format") {
		params.ResponseFormat = answerFormat(o.req.Schema)
	}
	extra := maps.Clone(o.extra)
	o.bound(&params, extra)
	extra["stream"] = bool(o.as)
	params.SetExtraFields(extra)
	return params
}

func answerFormat(schema json.RawMessage) openai.ChatCompletionNewParamsResponseFormatUnion {
	return openai.ChatCompletionNewParamsResponseFormatUnion{
		OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "answer", Schema: schema, Strict: param.NewOpt(true),
			},
		},
	}
}

func (o *outgoing) messages() []openai.ChatCompletionMessageParamUnion {
	list := make([]openai.ChatCompletionMessageParamUnion, 0, len(o.history)+1)
	switch {
	case o.req.System == "":
	case o.inUser:
		list = append(list, openai.UserMessage(o.req.System))
	default:
		list = append(list, openai.SystemMessage(o.req.System))
	}
	for _, m := range o.history {
		list = append(list, o.message(m))
	}
	return list
}

func (o *outgoing) message(m agent.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case agent.FromAssistant:
		return o.assistant(m)
	case agent.FromTool:
		return openai.ToolMessage(m.Content, m.ToolCallID)
	default:
		return openai.UserMessage(m.Content)
	}
}

// assistant sends content null with calls, as the model itself did: some
// servers want the key, others refuse an empty text.
func (o *outgoing) assistant(m agent.Message) openai.ChatCompletionMessageParamUnion {
	var out openai.ChatCompletionAssistantMessageParam
	out.Content.OfString = param.NewOpt(m.Content)
	if m.Content == "" {
		out.Content.OfString = param.Null[string]()
	}
	own := readSignatures(m.Data)
	if own.From != o.from {
		own = thoughtSignatures{}
		m.Reasoning = ""
	}
	if o.reasoning && len(m.ToolCalls) > 0 {
		out.SetExtraFields(map[string]any{"reasoning_content": m.Reasoning})
	}
	for i, c := range m.ToolCalls {
		call := &openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments},
		}
		if sig := own.signature(i); o.signatures && (sig != nil || i == 0) {
			call.SetExtraFields(map[string]any{"extra_content": orSkip(sig)})
		}
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
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
