package demo

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Model is the name of the one model.
const Model = "demo"

// maxBody bounds a request: histories are long, and a server must not be filled.
const maxBody = 16 << 20

// Options configure the demo model.
type Options struct {
	// Delay is the pause before each piece of a stream; 0 writes as fast as it goes.
	Delay time.Duration
}

// DefaultDelay makes a page visibly type.
const DefaultDelay = 15 * time.Millisecond

// server answers requests. Its only memory is the retry test's count.
type server struct {
	delay   time.Duration
	refuser refuser
}

// Handler serves POST /v1/chat/completions and GET /v1/models.
func Handler(o Options) http.Handler {
	s := &server{delay: o.Delay}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "invalid_request_error", "unknown_url", "Unknown request URL: "+r.Method+" "+r.URL.Path)
	})
	return mux
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list",
		"data":   []any{map[string]any{"id": Model, "object": "model", "created": 0, "owned_by": "fusebox"}},
	})
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
			status = http.StatusRequestEntityTooLarge
		}
		writeError(w, status, "invalid_request_error", "", "The request body could not be read.")
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", "We could not parse the JSON body of your request: "+err.Error())
		return
	}
	if err := req.check(); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
		return
	}
	a, isBound := bound(req)
	if !isBound {
		a = reply(newTurn(req))
	}
	if a.refusals > 0 && s.refuser.refuse(body, a.refusals) {
		writeError(w, http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached for the demo model. Please try again.")
		return
	}
	c := newCompletion(req, a)
	if req.Stream {
		s.stream(w, r, c, req.StreamOptions.IncludeUsage)
		return
	}
	writeJSON(w, http.StatusOK, c.whole())
}

// completion is an answer as it goes over the wire.
type completion struct {
	id, model string
	created   int64
	message   wireMessage
	finish    string
	usage     usage
	breaks    bool
}

func newCompletion(req request, a answer) completion {
	c := completion{
		id: "chatcmpl-demo-" + randomID(), model: req.Model, created: time.Now().Unix(), finish: "stop", breaks: a.breaks,
		message: wireMessage{Role: "assistant", ReasoningContent: a.reasoning},
	}
	text, cut := cutTo(a.text, req.limit())
	c.message.Content = content(text)
	out := tokens(a.reasoning) + tokens(text)
	for _, k := range a.calls {
		c.finish = "tool_calls"
		c.message.ToolCalls = append(c.message.ToolCalls, wireCall{
			ID: "call_" + randomID(), Type: "function", Function: wireFunction{Name: k.name, Arguments: k.args},
		})
		out += tokens(k.name) + tokens(k.args)
	}
	if cut {
		c.finish = "length"
	}
	c.usage = usage{PromptTokens: req.tokens(), CompletionTokens: out}
	if a.usage != nil {
		c.usage = *a.usage
	}
	if limit := req.limit(); limit > 0 {
		c.usage.CompletionTokens = min(c.usage.CompletionTokens, limit)
	}
	c.usage.TotalTokens = c.usage.PromptTokens + c.usage.CompletionTokens
	return c
}

// cutTo bounds a text to a number of tokens; 0 bounds nothing.
func cutTo(text string, limit int) (string, bool) {
	if limit <= 0 || tokens(text) <= limit {
		return text, false
	}
	return string([]rune(text)[:4*(limit-1)+3]), true
}

func randomID() string { return strconv.FormatUint(rand.Uint64(), 36) }

func (c completion) envelope(object string, choice map[string]any) map[string]any {
	choices := []any{}
	if choice != nil {
		choice["index"], choice["logprobs"] = 0, nil
		choices = append(choices, choice)
	}
	return map[string]any{"id": c.id, "object": object, "created": c.created, "model": c.model, "choices": choices}
}

func (c completion) whole() map[string]any {
	e := c.envelope("chat.completion", map[string]any{"message": c.message, "finish_reason": c.finish})
	e["usage"] = c.usage
	return e
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

func writeError(w http.ResponseWriter, status int, kind, code, message string) {
	e := map[string]any{"message": message, "type": kind, "param": nil, "code": nil}
	if code != "" {
		e["code"] = code
	}
	writeJSON(w, status, map[string]any{"error": e})
}
