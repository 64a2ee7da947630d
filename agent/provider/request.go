package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
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

func (o *outgoing) has(n string) bool { return !o.drop[n] }

func newOutgoing(q question, from, signer string) *outgoing {
	o := &outgoing{
		req: q.req, history: q.history, as: q.as, kept: history.Of(q.req), from: from, signer: signer,
		sees: q.model.Vision && q.req.OpenImage != nil, extra: maps.Clone(q.model.Extra), drop: make(map[string]bool),
	}
	if o.extra == nil {
		o.extra = make(map[string]any)
	}
	o.think(q.model, q.req.Thinking)
	return o
}

// params writes the request without its history and tools. tool_choice is left
// out: thinking modes refuse anything but its default.
func (o *outgoing) params() openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: o.req.Model}
	if o.as == inPieces && o.has("stream_options") {
		params.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	if o.req.Schema != nil && o.has("response_format") {
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: o.req.Schema, Strict: param.NewOpt(true)},
		}
	}
	extra := maps.Clone(o.extra)
	o.bound(&params, extra)
	extra["stream"] = bool(o.as)
	params.SetExtraFields(extra)
	return params
}

func newTool(spec agent.ToolSpec) openai.ChatCompletionToolUnionParam {
	def := shared.FunctionDefinitionParam{Name: spec.Name, Description: param.NewOpt(spec.Description)}
	if json.Unmarshal(spec.Parameters, &def.Parameters) != nil {
		def.Parameters = nil // no schema is the empty list of parameters
	}
	return openai.ChatCompletionFunctionTool(def)
}

// body is a request as it is sent, in parts. Its history and tools are not
// copied: they are shared with the requests before and after it.
type body [][]byte

func (b body) size() (n int64) {
	for _, part := range b {
		n += int64(len(part))
	}
	return n
}

func (b body) open() (io.ReadCloser, error) {
	return &bodyReader{left: net.Buffers(slices.Clone(b))}, nil
}

// bodyReader reads a body once. Other than an io.MultiReader it needs no buffer to be
// copied, and none to find that it has ended.
type bodyReader struct{ left net.Buffers }

func (r *bodyReader) Read(p []byte) (int, error)               { return r.left.Read(p) }
func (r *bodyReader) WriteTo(w io.Writer) (n int64, err error) { return r.left.WriteTo(w) }
func (r *bodyReader) Close() error                             { return nil }

// body writes a request. What was encoded before of its history and tools is
// not encoded again; both give way to keys of the same name in extra.
func (p *Provider) body(o *outgoing) (body, error) {
	params, err := o.params().MarshalJSON()
	if err != nil {
		return nil, err
	}
	parts := append(make(body, 0, 9), []byte("{"))
	if _, other := o.extra["messages"]; !other {
		var system []byte
		if o.req.System != "" && !o.inUser {
			if system, err = json.Marshal(history.Message{Role: "system", Content: &o.req.System}); err != nil {
				return nil, err
			}
		}
		messages := o.history
		if o.sees {
			messages = history.Illustrate(messages)
		}
		style := history.Style{Reasoning: o.reasoning, Signer: o.signer, Signed: o.signed, Alternate: o.alternate, Filled: o.filled}
		if o.reasoning {
			style.From = o.from
		}
		past, err := o.kept.Encode(style, messages, o.req.OpenImage)
		if err != nil {
			return nil, err
		}
		if len(system) == 0 {
			past = bytes.TrimPrefix(past, []byte(","))
		}
		parts = append(parts, []byte(`"messages":[`), system, past, []byte(`],`))
	}
	if _, other := o.extra["tools"]; !other && len(o.req.Tools) > 0 {
		parts = append(parts, []byte(`"tools":`), o.kept.Tools(o.req.Tools, p.tools.encode), []byte(","))
	}
	return append(parts, params[1:]), nil
}

// bodyKey is the context key of a request's body, which the SDK would otherwise read into
// one piece.
type bodyKey struct{}

// attachBody gives a request the body that its context carries, in a way that
// it can be sent again where a connection turns out to be closed.
func attachBody(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	if b, ok := req.Context().Value(bodyKey{}).(body); ok {
		req.Body, _ = b.open()
		req.ContentLength, req.GetBody = b.size(), b.open
	}
	return next(req)
}

const maxToolTexts = 2000

// toolText is a tool prepared for requests, once.
type toolText struct {
	spec   agent.ToolSpec
	tokens int64
	raw    []byte // as it is sent
}

// toolTexts remembers tools by their names: they are the same in most requests.
type toolTexts struct {
	counter *tokenCounter
	mu      sync.Mutex
	known   map[string]toolText
}

func (t *toolTexts) of(spec agent.ToolSpec) toolText {
	t.mu.Lock()
	text, ok := t.known[spec.Name]
	t.mu.Unlock()
	if ok && history.SameTool(text.spec, spec) {
		return text
	}
	count := t.counter.count
	text = toolText{spec: spec, raw: agent.MustJSON(newTool(spec)), tokens: tokensPerTool + count(spec.Name) + count(spec.Description) + count(string(spec.Parameters))}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxToolTexts {
		clear(t.known)
	}
	t.known[spec.Name] = text
	return text
}

func (t *toolTexts) encode(specs []agent.ToolSpec) []byte {
	list := []byte("[")
	for i, spec := range specs {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, t.of(spec).raw...)
	}
	return append(list, ']')
}
