package provider

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"fusebox/agent"
	"fusebox/agent/provider/history"
)

// outgoing is a request before it is written: a sound history, the SDK's
// parameters, and what accompanies them.
type outgoing struct {
	req     agent.Request
	history []agent.Message
	as      form
	kept    *history.Memory
	// extra are top-level keys; they win over the parameters.
	extra map[string]any
	// drop are parameters that are left out, renamed those of the other name.
	drop     map[string]bool
	newLimit bool // the limit is called max_completion_tokens
	// inUser says that the system prompt is in a message of the person.
	inUser bool
	// alternate and filled are what strict templates want of a history.
	alternate, filled bool
	// from is the endpoint and its family: reasoning goes back only to where
	// it was made.
	from      string
	reasoning bool
	// signer is the endpoint and the model: signatures go back only to where they
	// were made. signed asks for one with each call.
	signer string
	signed bool
	// sees says that the model is sent pictures.
	sees bool
}

func newOutgoing(q question, from, signer string) *outgoing {
	o := &outgoing{req: q.req, history: q.history, as: q.as, kept: history.Of(q.req), from: from, signer: signer, sees: q.model.Vision && q.req.OpenImage != nil, extra: maps.Clone(q.model.Extra), drop: make(map[string]bool)}
	if o.extra == nil {
		o.extra = make(map[string]any)
	}
	o.think(q.model, q.req.Thinking)
	return o
}

// The remedies of quirk.go.

// flatten leaves the memory out: it is a last resort, and once only.
func (o *outgoing) flatten() { o.history, o.kept = history.Flatten(o.history), history.New() }

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
func withSignatures(o *outgoing)      { o.signed = true }
func withoutSignatures(o *outgoing)   { o.signer = "" }
func (o *outgoing) has(n string) bool { return !o.drop[n] }

func (o *outgoing) alternateRoles() { o.alternate = true }
func (o *outgoing) fillContent()    { o.filled = true }

// systemAsUser puts the system prompt before what the person said first.
func (o *outgoing) systemAsUser() {
	if o.req.System == "" || o.inUser {
		return
	}
	o.inUser = true
	o.history = slices.Insert(slices.Clone(o.history), 0, agent.Message{Role: agent.FromUser, Content: o.req.System})
}

// style is how this request's messages are written.
func (o *outgoing) style() history.Style {
	s := history.Style{Reasoning: o.reasoning, Signer: o.signer, Signed: o.signed, Alternate: o.alternate, Filled: o.filled}
	if s.Reasoning {
		s.From = o.from
	}
	return s
}

// params writes the request without its history and tools. tool_choice is left
// out: thinking modes refuse anything but its default.
func (o *outgoing) params() openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: o.req.Model}
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

func newTool(spec agent.ToolSpec) openai.ChatCompletionToolUnionParam {
	def := shared.FunctionDefinitionParam{Name: spec.Name, Description: param.NewOpt(spec.Description)}
	if json.Unmarshal(spec.Parameters, &def.Parameters) != nil {
		def.Parameters = nil // no schema is the empty list of parameters
	}
	return openai.ChatCompletionFunctionTool(def)
}
