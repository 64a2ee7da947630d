package demo

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"fusebox/agent/demo/strict"
	"fusebox/agent/demo/wire"
)

// Model is the name of the demo model. With a colon and a family behind it, the
// same model writes as that family does and is as strict.
const Model = "demo"

// maxBody bounds a request: histories are long, and a server must not be filled.
const maxBody = 16 << 20

// Options configure the demo model.
type Options struct {
	// Delay is the pause before each piece of a stream; 0 writes as fast as it goes.
	Delay time.Duration
	// Strict serves every model name as this family, which is one of Families;
	// "" lets each request's model name choose.
	Strict Family
	// OnRefused, if not nil, gets the reason why a request was refused for what
	// it contains. It is called from several goroutines at once.
	OnRefused func(reason string)
	// BreakEvery breaks off every n-th streamed answer that has tool calls, in
	// the middle of its last call; 0 breaks off none.
	BreakEvery int
}

// DefaultDelay makes a page visibly type.
const DefaultDelay = 15 * time.Millisecond

// server answers requests. It remembers the retry test's count, how many calls
// it streamed, and of its latest calls what must come back.
type server struct {
	Options
	now      func() time.Time
	streamed atomic.Int64
	refuser  refuser
	memory   strict.Memory
}

// Handler serves POST /v1/chat/completions, POST /v1/embeddings, GET /v1/models and GET /v1/models/{id}.
func Handler(o Options) http.Handler {
	s := &server{Options: o, now: time.Now}
	if s.OnRefused == nil {
		s.OnRefused = func(string) {}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{id}", s.model)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "invalid_request_error", "unknown_url", "Unknown request URL: "+r.Method+" "+r.URL.Path)
	})
	return mux
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) {
	data := []any{modelObject(Model)}
	if s.Strict == "" {
		for _, f := range families {
			data = append(data, modelObject(Model+":"+string(f.name)))
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (s *server) model(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("id")
	if _, known := familyOf(s.Strict, name); !known {
		writeError(w, http.StatusNotFound, "invalid_request_error", "model_not_found", unknownModel(name))
		return
	}
	writeJSON(w, http.StatusOK, modelObject(name))
}

func modelObject(name string) map[string]any {
	return map[string]any{"id": name, "object": "model", "created": 0, "owned_by": "fusebox"}
}

func unknownModel(name string) string {
	return "The model `" + name + "` does not exist. GET /v1/models lists those that do."
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
			status = http.StatusRequestEntityTooLarge
		}
		writeError(w, status, "invalid_request_error", "", "The request body could not be read.")
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		s.refuse(w, http.StatusBadRequest, "", wire.BadJSON+err.Error())
		return
	}
	f, known := familyOf(s.Strict, req.Model)
	if !known && req.Model != "" {
		s.refuse(w, http.StatusNotFound, "model_not_found", unknownModel(req.Model))
		return
	}
	err = f.rules.Check(body, string(f.name), &s.memory)
	if err == nil {
		err = req.check()
	}
	if err != nil {
		s.refuse(w, http.StatusBadRequest, "", err.Error())
		return
	}
	a := answerOf(f, req, newTurn(req, s.now()))
	if no := a.refused; no != nil && s.refuser.refuse(body, no.times) {
		writeError(w, no.status, no.kind, no.code, no.message)
		return
	}
	list := newCompletions(f, req, a)
	for _, c := range list {
		if c.family.name != "" {
			s.memory.Remember(string(c.family.name), c.message)
		}
	}
	if req.Stream {
		s.stream(w, r, list, req.StreamOptions.IncludeUsage)
		return
	}
	writeJSON(w, http.StatusOK, whole(list))
}

// answerOf asks the rules, and adds a reasoning if the family gives one.
func answerOf(f family, req request, t turn) answer {
	if a, isBound := bound(req, t); isBound {
		return a
	}
	if a, names := titling(req); names {
		return a
	}
	a := req.forced(t, reply(t))
	if f.thinks && a.reasoning == "" && len(a.calls) > 0 {
		a.reasoning = t.in("I need the tool "+a.calls[0].name+" for this.", "这需要用到工具 "+a.calls[0].name+"。")
	}
	return a
}

// refuse answers a request that is wrong in itself.
func (s *server) refuse(w http.ResponseWriter, status int, code, reason string) {
	s.OnRefused(reason)
	writeError(w, status, "invalid_request_error", code, reason)
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
