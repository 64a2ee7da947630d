package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// The size of one piece of a stream, in runes.
const (
	textPiece = 5
	argsPiece = 12
)

// stream writes the answers piece by piece, one after the other. It ends when
// the client leaves, or in the middle of the last call where its turn to be
// broken off has come.
func (s *server) stream(w http.ResponseWriter, r *http.Request, list []completion, includeUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	out := streamWriter{ctx: r.Context(), w: w, flush: http.NewResponseController(w).Flush, delay: s.Delay}
	first := list[0]
	for range first.family.comments {
		out.write([]byte(": keep-alive\n\n"))
	}
	// Only answers that have calls are counted.
	if s.BreakEvery > 0 && len(first.message.ToolCalls) > 0 && s.streamed.Add(1)%int64(s.BreakEvery) == 0 {
		first.halveLastCall()
		for i, d := range first.deltas() {
			out.send(first.chunk(d, first.family.pending(i)))
		}
		panic(http.ErrAbortHandler)
	}
	for _, c := range list {
		if c.breaks {
			c.halveLastCall()
			c.finish = "length"
		}
		for _, chunk := range c.chunks() {
			out.send(chunk)
		}
	}
	if includeUsage && first.family.usage == ownChunk {
		e := first.envelope("chat.completion.chunk", nil)
		e["usage"] = first.family.bill(billed(list))
		out.send(e)
	}
	out.write([]byte("data: [DONE]\n\n"))
}

func (c completion) halveLastCall() {
	if n := len(c.message.ToolCalls); n > 0 {
		f := &c.message.ToolCalls[n-1].Function
		args := []rune(f.Arguments)
		f.Arguments = string(args[:len(args)/2])
	}
}

func (c completion) deltas() []map[string]any {
	list := []map[string]any{{"role": "assistant", "content": ""}}
	for _, p := range pieces(c.message.ReasoningContent, textPiece) {
		list = append(list, c.family.think(p))
	}
	for _, p := range pieces(string(c.message.Content), textPiece) {
		list = append(list, c.family.text(p))
	}
	return append(list, c.family.spread(c.family, c.message.ToolCalls)...)
}

// chunks are the pieces of the answer with what a family writes next to them.
func (c completion) chunks() []map[string]any {
	deltas := c.deltas()
	if !c.family.joined {
		deltas = append(deltas, map[string]any{})
	}
	last := len(deltas) - 1
	list := make([]map[string]any, len(deltas))
	for i, d := range deltas {
		finish := c.family.pending(i)
		if i == last {
			finish = c.finish
		}
		list[i] = c.chunk(d, finish)
		switch bill := c.family.bill(c.usage.after(i+1, len(deltas))); {
		case c.family.usage == everyChunk, c.family.usage == lastChunk && i == last:
			list[i]["usage"] = bill
		case c.family.usage == lastChoice && i == last:
			list[i]["choices"].([]any)[0].(map[string]any)["usage"] = bill
		}
	}
	return list
}

func (c completion) chunk(delta map[string]any, finish any) map[string]any {
	return c.envelope("chat.completion.chunk", map[string]any{"delta": delta, "finish_reason": finish})
}

// pending is the finish reason of a chunk that is not the last.
func (f family) pending(n int) any {
	if len(f.between) == 0 {
		return nil
	}
	return f.between[n%len(f.between)]
}

// after is the usage once a part of an answer's chunks was sent.
func (u usage) after(n, of int) usage {
	u.CompletionTokens = u.CompletionTokens * n / of
	u.reasoning = u.reasoning * n / of
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

// streamWriter writes events until the first error, which the rest skips.
type streamWriter struct {
	ctx   context.Context
	w     http.ResponseWriter
	flush func() error
	delay time.Duration
	err   error
}

func (o *streamWriter) send(chunk map[string]any) {
	raw, err := json.Marshal(chunk)
	if err != nil {
		o.err = err
	}
	if o.err == nil && o.delay > 0 {
		timer := time.NewTimer(o.delay)
		defer timer.Stop()
		select {
		case <-o.ctx.Done():
			o.err = context.Cause(o.ctx)
		case <-timer.C:
		}
	}
	o.write(append(append([]byte("data: "), raw...), "\n\n"...))
}

func (o *streamWriter) write(event []byte) {
	if o.err != nil {
		return
	}
	if _, o.err = o.w.Write(event); o.err == nil {
		o.err = o.flush()
	}
}

func pieces(s string, n int) []string {
	var list []string
	for r := []rune(s); len(r) > 0; {
		k := min(n, len(r))
		list = append(list, string(r[:k]))
		r = r[k:]
	}
	return list
}
