package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// What one piece of a stream holds, in runes.
const (
	textPiece = 5
	argsPiece = 12
)

// stream writes the completion piece by piece. It ends when the client leaves.
func (s *server) stream(w http.ResponseWriter, r *http.Request, c completion, includeUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	out := streamWriter{ctx: r.Context(), w: w, flush: http.NewResponseController(w).Flush, delay: s.delay}
	out.delta(c, map[string]any{"role": "assistant", "content": ""})
	for _, p := range pieces(c.message.ReasoningContent, textPiece) {
		out.delta(c, map[string]any{"reasoning_content": p})
	}
	for _, p := range pieces(string(c.message.Content), textPiece) {
		out.delta(c, map[string]any{"content": p})
	}
	for i, call := range c.message.ToolCalls {
		if c.breaks && i == len(c.message.ToolCalls)-1 {
			call.Function.Arguments = call.Function.Arguments[:len(call.Function.Arguments)/2]
			c.finish = "length"
		}
		out.call(c, i, call)
	}
	out.send(c.envelope("chat.completion.chunk", map[string]any{"delta": map[string]any{}, "finish_reason": c.finish}))
	if includeUsage {
		e := c.envelope("chat.completion.chunk", nil)
		e["usage"] = c.usage
		out.send(e)
	}
	out.write([]byte("data: [DONE]\n\n"))
}

// streamWriter writes events until the first error, which the rest skips.
type streamWriter struct {
	ctx   context.Context
	w     http.ResponseWriter
	flush func() error
	delay time.Duration
	err   error
}

// call sends a tool call as models do: id and name first, then the arguments.
func (o *streamWriter) call(c completion, index int, call wireCall) {
	first := wireCall{Index: &index, ID: call.ID, Type: "function", Function: wireFunction{Name: call.Function.Name}}
	o.delta(c, map[string]any{"tool_calls": []wireCall{first}})
	for _, p := range pieces(call.Function.Arguments, argsPiece) {
		o.delta(c, map[string]any{"tool_calls": []wireCall{{Index: &index, Function: wireFunction{Arguments: p}}}})
	}
}

func (o *streamWriter) delta(c completion, delta map[string]any) {
	o.send(c.envelope("chat.completion.chunk", map[string]any{"delta": delta, "finish_reason": nil}))
}

func (o *streamWriter) send(chunk map[string]any) {
	raw, err := json.Marshal(chunk)
	if err != nil {
		o.err = err
	}
	o.wait()
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

func (o *streamWriter) wait() {
	if o.err != nil || o.delay <= 0 {
		return
	}
	timer := time.NewTimer(o.delay)
	defer timer.Stop()
	select {
	case <-o.ctx.Done():
		o.err = context.Cause(o.ctx)
	case <-timer.C:
	}
}

// pieces splits a text every n runes.
func pieces(s string, n int) []string {
	var list []string
	for r := []rune(s); len(r) > 0; {
		k := min(n, len(r))
		list = append(list, string(r[:k]))
		r = r[k:]
	}
	return list
}
