package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/openai/openai-go/v3/option"

	"fusebox/agent/provider/history"
)

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
	messages, err := o.messages()
	if err != nil {
		return nil, err
	}
	parts := append(body{[]byte("{")}, messages...)
	if _, other := o.extra["tools"]; !other && len(o.req.Tools) > 0 {
		parts = append(parts, []byte(`"tools":`), o.kept.Tools(o.req.Tools, p.tools.encode), []byte(","))
	}
	return append(parts, params[1:]), nil
}

// messages are the parts of a request that are its system prompt and its history.
func (o *outgoing) messages() (body, error) {
	if _, other := o.extra["messages"]; other {
		return nil, nil
	}
	system, err := o.system()
	if err != nil {
		return nil, err
	}
	past, err := o.kept.Encode(o.style(), o.illustrated(), o.req.OpenImage)
	if err != nil {
		return nil, err
	}
	if len(system) == 0 {
		past = bytes.TrimPrefix(past, []byte(","))
	}
	return body{[]byte(`"messages":[`), system, past, []byte(`],`)}, nil
}

// system is the system prompt as it is sent, empty for none.
func (o *outgoing) system() ([]byte, error) {
	if o.req.System == "" || o.inUser {
		return nil, nil
	}
	return json.Marshal(history.Message{Role: "system", Content: &o.req.System})
}

type bodyKey struct{}

// withBody makes a request carry a body. The SDK would read it into one piece.
func withBody(ctx context.Context, b body) context.Context {
	return context.WithValue(ctx, bodyKey{}, b)
}

// attachBody gives a request the body that its context carries, in a way that
// it can be sent again where a connection turns out to be closed.
func attachBody(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	if b, ok := req.Context().Value(bodyKey{}).(body); ok {
		req.Body, _ = b.open()
		req.ContentLength, req.GetBody = b.size(), b.open
	}
	return next(req)
}
