package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The models of the endpoint: each answers in one way, N times.
const (
	bulkModel  = "bulk"  // bulk-N: N deltas as fast as they are taken
	flushModel = "flush" // flush-N: N deltas, each sent by itself
	pacedModel = "paced" // paced-N: N deltas, one every pace, each the time at which it was sent
	callsModel = "calls" // calls-N: N calls of the calculator, one a step, then a word
)

func modelOf(kind string, n int) string { return kind + "-" + strconv.Itoa(n) }

const maxRequest = 64 << 20

// endpoint is an OpenAI-compatible server on loopback that costs as little as
// possible: what is measured is the program in front of it.
type endpoint struct {
	server  *http.Server
	baseURL string
	models  []string
	words   []string
}

// listen serves these models until its server is closed.
func listen(ctx context.Context, models []string, longest int) (*endpoint, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the built-in endpoint: %w", err)
	}
	e := &endpoint{baseURL: "http://" + listener.Addr().String() + "/v1", models: models, words: words(longest)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", e.list)
	mux.HandleFunc("POST /v1/chat/completions", e.complete)
	e.server = &http.Server{Handler: mux, ReadHeaderTimeout: callTimeout}
	go func() { _ = e.server.Serve(listener) }() // ends when it is closed
	return e, nil
}

func (e *endpoint) list(w http.ResponseWriter, _ *http.Request) {
	var data []map[string]string
	for _, name := range e.models {
		data = append(data, map[string]string{"id": name, "object": "model"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data}) // a client that has gone needs no answer
}

func (e *endpoint) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return
	}
	kind, number, _ := strings.Cut(textField(body, "model"), "-")
	n, err := strconv.Atoi(number)
	write := map[string]func(*sse, int){
		bulkModel:  func(s *sse, n int) { e.deltas(s, n, false) },
		flushModel: func(s *sse, n int) { e.deltas(s, n, true) },
		pacedModel: e.paced,
		callsModel: func(s *sse, n int) { calls(s, n, bytes.Count(body, []byte(`"role":"tool"`))) },
	}[kind]
	if err != nil || write == nil {
		http.Error(w, `{"error":{"message":"there is no such model"}}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &sse{ctx: r.Context(), out: bufio.NewWriterSize(w, 16<<10), http: http.NewResponseController(w)}
	s.chunk(`{"role":"assistant","content":""}`, "")
	write(s, n)
	_ = s.flush()
}

// textField finds the first member of that name in compact JSON. Inside of texts
// quotes are escaped, so that nothing else looks like it.
func textField(body []byte, name string) string {
	_, rest, _ := bytes.Cut(body, []byte(`"`+name+`":"`))
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}

// deltas writes so many words. Each is sent by itself, or else only the first is.
func (e *endpoint) deltas(s *sse, n int, each bool) {
	for i := range n {
		s.text(e.words[i])
		if (i == 0 || each) && s.flush() != nil {
			return
		}
	}
	s.end("stop", n)
}

func (e *endpoint) paced(s *sse, n int) {
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := range n {
		timer.Reset(time.Until(start.Add(time.Duration(i) * pace)))
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
		s.text(" " + strconv.FormatInt(time.Now().UnixMicro(), 10))
		if s.flush() != nil {
			return
		}
	}
	s.end("stop", n)
}

// calls asks for one more calculation, or says that all are done.
func calls(s *sse, n, done int) {
	if done >= n {
		s.text(" done")
		s.end("stop", 1)
		return
	}
	s.chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"calculator","arguments":""}}]}`, done), "")
	s.chunk(fmt.Sprintf(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"expression\":\"%d*%d\"}"}}]}`, done+3, 2*done+17), "")
	s.end("tool_calls", 8)
}

type sse struct {
	ctx  context.Context
	out  *bufio.Writer
	http *http.ResponseController
}

// The parts of a chunk around its delta. Errors of writing come with flush.
const (
	chunkHead = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":`
	chunkTail = `}]}` + "\n\n"
)

func (s *sse) chunk(delta, reason string) {
	_, _ = s.out.WriteString(chunkHead)
	_, _ = s.out.WriteString(delta)
	if reason == "" {
		_, _ = s.out.WriteString(`,"finish_reason":null`)
	} else {
		_, _ = s.out.WriteString(`,"finish_reason":"` + reason + `"`)
	}
	_, _ = s.out.WriteString(chunkTail)
}

// text is a delta of text that needs no escapes.
func (s *sse) text(word string) { s.chunk(`{"content":"`+word+`"}`, "") }

func (s *sse) end(reason string, tokens int) {
	s.chunk(`{}`, reason)
	_, _ = fmt.Fprintf(s.out, `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench","choices":[],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":%d,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n", tokens, tokens+10)
}

func (s *sse) flush() error { return errors.Join(s.out.Flush(), s.http.Flush()) }

// vocabulary is the number of words before they get a third syllable.
const vocabulary = 64 * 64

// syllables are 64 that can be told apart.
var syllables = func() (all []string) {
	for _, consonant := range "bdfghjklmnprstvz" {
		for _, vowel := range "aeio" {
			all = append(all, string(consonant)+string(vowel))
		}
	}
	return all
}()

// words is a text of n different words in no order that a breaker would take for a
// repetition, each with a space before it.
func words(n int) []string {
	all := make([]string, n)
	for i := range all {
		// An odd factor visits every number below a power of two once.
		k := i * 2053 % vocabulary
		var w strings.Builder
		w.WriteString(" " + syllables[k/64] + syllables[k%64])
		if lap := i / vocabulary; lap > 0 {
			w.WriteString(syllables[lap%64])
		}
		all[i] = w.String()
	}
	return all
}
