package provider

import (
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/history"
	"fusebox/agent/provider/wire"
)

// quirk is something that some endpoints want of a request. It is matched by
// the model's family, or by the refusal of an earlier request, which is
// remembered for the model. A new oddity is one row of the table here and one
// test of the same name. What endpoints do to their answers is undone where
// these are read.
type quirk struct {
	name string
	// families need leaves to be done to every request.
	families []Family
	// refused recognises a refusal that leaves cures.
	refused func(wire.APIError) bool
	// leaves changes a request on its way out.
	leaves func(*outgoing)
	// template also takes a refusal that is called a failure of the server, or nothing:
	// where a template fails, many say so.
	template bool
	// once does not remember the refusal.
	once bool
	// recheck forgets the refusal after a time; 0 never does.
	recheck time.Duration
}

// recheckStreams is the time after which streaming is tried again.
const recheckStreams = 30 * time.Minute

// The rows of endpoints that can't stream, or can't where tools are offered.
var (
	noStreamWithTools = quirk{name: "no-stream-with-tools", recheck: recheckStreams, leaves: func(o *outgoing) {
		if len(o.req.Tools) > 0 {
			o.as = inOnePiece
		}
	}, refused: func(e wire.APIError) bool {
		text := strings.ToLower(e.Text)
		return refusesStreams(e) && (strings.Contains(text, "tool") || strings.Contains(text, "function"))
	}}
	noStream = quirk{name: "no-stream", recheck: recheckStreams, refused: refusesStreams, leaves: func(o *outgoing) { o.as = inOnePiece }}
)

// The rows of endpoints that refuse pictures: those of this model, or of this request.
var (
	blind    = func(o *outgoing) { o.sees = false }
	noImages = quirk{name: "no-images", leaves: blind}
	badImage = quirk{name: "without-these-images", leaves: blind, once: true}
)

// onLeaving are the habits that requests have to meet. Those with refused are
// learned: the refused request is made once more with the row applied.
var onLeaving = []quirk{
	{name: "reasoning-goes-back", families: []Family{DeepSeek, Kimi}, leaves: func(o *outgoing) { o.reasoning = true },
		refused: naming("reasoning_content", "missing", "must be", "required", "passed back")},
	{name: "thought-signature-goes-back", families: []Family{Gemini}, leaves: func(o *outgoing) { o.signed = true },
		refused: naming("thought_signature", "missing", "must be", "required")},
	noStreamWithTools,
	noStream,
	{name: "no-extra-content", leaves: func(o *outgoing) { o.signer = "" }, refused: unsupported("extra_content")},
	{name: "thinking-only-in-streams", families: []Family{Qwen}, leaves: func(o *outgoing) {
		if o.as == inOnePiece && o.extra["enable_thinking"] != nil {
			o.extra["enable_thinking"] = false
		}
	}, refused: naming("enable_thinking", "non-streaming")},
	{name: "only-streams", leaves: func(o *outgoing) { o.as = inPieces }, refused: naming("stream", "only support stream", "stream must be", "requires stream")},
	{name: "no-stream-options", leaves: without("stream_options"), refused: unsupported("stream_options")},
	{name: "no-parallel-tool-calls", leaves: without("parallel_tool_calls"), refused: unsupported("parallel_tool_calls")},
	{name: "no-temperature", leaves: without("temperature"), refused: unsupported("temperature")},
	{name: "no-tool-choice", leaves: without("tool_choice"), refused: unsupported("tool_choice")},
	{name: "no-response-format", leaves: without("response_format"), refused: unsupported("response_format")},
	{name: "max-completion-tokens", leaves: func(o *outgoing) {
		o.newLimit = true
		delete(o.extra, oldLimitName)
	}, refused: unsupported(oldLimitName)},
	{name: "no-max-completion-tokens", leaves: without(newLimitName), refused: unsupported(newLimitName)},
	{name: "no-thinking-switch", leaves: without("enable_thinking"), refused: unsupported("enable_thinking")},
	{name: "no-thinking-budget", leaves: without("thinking_budget"), refused: unsupported("thinking_budget")},
	{name: "no-thinking", leaves: without("thinking"), refused: unsupportedQuoted("thinking")},
	{name: "no-reasoning-effort", leaves: without("reasoning_effort"), refused: unsupported("reasoning_effort")},
	{name: "no-system-role", leaves: systemAsUser, template: true, refused: func(e wire.APIError) bool {
		return hasWord(strings.ToLower(e.Text), "role") && (unsupported("system")(e) || unsupported("developer")(e))
	}},
	noImages,
	badImage,
	{name: "roles-alternate", families: []Family{Mistral}, leaves: func(o *outgoing) { o.alternate = true }, refused: refusesRoles, template: true},
	{name: "no-empty-content", leaves: func(o *outgoing) { o.filled = true }, refused: refusesEmpty, template: true},
	{name: "no-calls-in-history", leaves: func(o *outgoing) {
		// What was kept of the history is left out, too: this is a last resort, and once only.
		o.history, o.kept = history.Flatten(o.history), history.New()
	}, refused: refusesHistory, once: true, template: true},
}

func without(name string) func(*outgoing) {
	return func(o *outgoing) {
		o.drop[name] = true
		delete(o.extra, name)
	}
}

// systemAsUser puts the system prompt before what the person said first.
func systemAsUser(o *outgoing) {
	if o.req.System == "" || o.inUser {
		return
	}
	o.inUser = true
	o.history = slices.Insert(slices.Clone(o.history), 0, agent.Message{Role: agent.FromUser, Content: o.req.System})
}

// apply does what a request to this model needs. learned are the rows that
// refusals of it have taught.
func (o *outgoing) apply(family Family, learned []string) {
	for _, q := range onLeaving {
		if slices.Contains(q.families, family) || slices.Contains(learned, q.name) {
			q.leaves(o)
		}
	}
}

// refusing are the words with which endpoints say that they do not know a
// parameter, or a value of it.
var refusing = []string{
	"unsupported", "not support", "n't support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed",
	"not available", "deprecated", "only support", "invalid parameter", "extra inputs",
}

// unsupported recognises a refusal that names a parameter as one that the
// endpoint does not take. A limit that was passed is none.
func unsupported(param string) func(wire.APIError) bool { return naming(param, refusing...) }

// unsupportedQuoted is unsupported for a parameter whose name is a word that refusals of
// others use as well: it has to stand as a name.
func unsupportedQuoted(param string) func(wire.APIError) bool {
	return func(e wire.APIError) bool {
		quoted := slices.ContainsFunc([]string{"'" + param + "'", `"` + param + `"`, "`" + param + "`", ": " + param}, func(name string) bool {
			return strings.Contains(strings.ToLower(e.Text), name)
		})
		return (quoted || e.Param == param) && unsupported(param)(e)
	}
}

// naming recognises a refusal that names a parameter with one of the words.
func naming(param string, words ...string) func(wire.APIError) bool {
	return func(e wire.APIError) bool {
		text := strings.ToLower(e.Text)
		if e.Param != param && !hasWord(text, param) {
			return false
		}
		return slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(text, w) || slices.ContainsFunc(e.Codes, func(c string) bool { return strings.Contains(c, strings.ReplaceAll(w, " ", "_")) })
		})
	}
}

// hasWord finds a name that is not a part of a longer one.
func hasWord(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end])) {
			return true
		}
		at = end
	}
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// refusingStreams are the words with which endpoints refuse to stream, besides
// those with which they refuse a parameter.
var refusingStreams = append([]string{
	"cannot", "can not", "can't", "incompatible", "not compatible", "not implemented", "not possible", "not enabled", "disabled",
	"must be false", "must be set to false", "must be disabled", "only non-stream",
}, refusing...)

// wantingStreams are words of endpoints that refuse the opposite.
var wantingStreams = []string{"only support stream", "only supports stream", "requires stream", "must be true", "set to true", "for non-stream", "non-streaming is not", "enable_thinking"}

func refusesStreams(e wire.APIError) bool {
	text := strings.ToLower(e.Text)
	in := func(w string) bool { return strings.Contains(text, w) }
	named := e.Param == "stream" || slices.ContainsFunc([]string{"stream", "streaming", "streamed", "streams"}, func(w string) bool { return hasWord(text, w) })
	return named && slices.ContainsFunc(refusingStreams, in) && !slices.ContainsFunc(wantingStreams, in)
}

func refusesRoles(e wire.APIError) bool {
	text := strings.ToLower(e.Text)
	return slices.ContainsFunc([]string{
		"must alternate", "should alternate", "must be alternat", "alternate between", "alternating", "successive user", "consecutive user",
		"consecutive assistant", "consecutive messages", "interleave the user", "unexpected role 'user' after role", "unexpected role 'assistant' after role",
		"交替",
	}, func(s string) bool { return strings.Contains(text, s) })
}

func refusesEmpty(e wire.APIError) bool {
	text := strings.ToLower(e.Text)
	in := func(w string) bool { return strings.Contains(text, w) }
	return hasWord(text, "content") && slices.ContainsFunc([]string{"message", "assistant", "role"}, in) && slices.ContainsFunc([]string{
		"empty", "null", "none", "nonetype", "must be a string", "valid string", "be a string or", "is required", "field required", "missing",
	}, in)
}

// refusesHistory recognises that the order of calls and results is refused, or that no
// order of roles will do with them.
func refusesHistory(e wire.APIError) bool {
	text := strings.ToLower(e.Text)
	return refusesRoles(e) || slices.ContainsFunc([]string{
		"must be followed by tool messages", "must be a response to a preceding", "must follow the message",
		"tool_calls must be followed", "tool messages responding", "unexpected role 'tool'", "expected last role",
		"function call turn comes immediately after", "number of function response parts", "tool_call_ids did not have response",
		"does not have a corresponding", "tool_use` ids were found without",
	}, func(s string) bool { return strings.Contains(text, s) })
}

// refusedImages is the row that a refusal of a request with pictures calls for. Endpoints
// refuse them with all kinds of status.
func refusedImages(f *wire.Failure, learned []string) (quirk, bool) {
	text := strings.ToLower(f.API.Text)
	in := func(w string) bool { return strings.Contains(text, w) }
	if f.Status < 400 || f.Status == 401 || f.Status == 403 || f.Status == 429 || !slices.ContainsFunc(namingImages, in) && f.Status != 413 {
		return quirk{}, false
	}
	row := badImage
	if slices.ContainsFunc(refusingImages, in) && !slices.ContainsFunc(oddImages, in) {
		row = noImages
	}
	return row, !slices.Contains(learned, row.name)
}

// namingImages are words for pictures in refusals. refusingImages are those with which a
// model is said to take none at all, oddImages those about one that it cannot read.
var (
	namingImages   = []string{"image", "multimodal", "multi-modal", "vision", "mmproj", "content type", "a string", "expected string", "item type"}
	refusingImages = append([]string{
		"only supported by", "expected `text`", "expected 'text'", "at most 0", "not a multimodal", "not multimodal", "not a vision", "mmproj",
		"does not accept", "cannot read image", "cannot process image input", "no endpoints found", "text only", "text-only", "required for image input",
		"not enabled", "a string", "expected string", "item type",
	}, refusing...)
	oddImages = []string{"format", "uploaded", "decode", "parse", "too large", "exceed", "dimension", "corrupt", "pixel", "could not process"}
)
