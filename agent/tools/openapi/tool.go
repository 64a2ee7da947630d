package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"fusebox/agent"
	"fusebox/agent/safehttp"
	"fusebox/agent/tools"
)

type tool struct {
	*service
	spec agent.ToolSpec
	plan plan
}

func (s *service) tool(t agent.KnownTool) (tools.Tool, error) {
	var p plan
	if err := json.Unmarshal(t.Claims, &p); err != nil {
		return nil, err
	}
	return tool{s, s.conf.spec(t, p), p}, nil
}

func (t tool) Spec() agent.ToolSpec { return t.spec }

// Evidence shows the request that a call sends.
func (t tool) Evidence(in agent.ToolInput) agent.ToolEvidence {
	e := agent.ToolEvidence{Runs: t.base}
	if r, err := t.plan.request(t.base, in.Args); err == nil {
		e.Request = t.secrets.Scrub(r.text())
	}
	return e
}

func (t tool) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	r, err := t.plan.request(t.base, in.Args)
	if err != nil {
		return agent.ToolResult{ErrorType: agent.ErrInvalidParams, Content: err.Error()}
	}
	res := t.send(ctx, r)
	res.Content = t.secrets.Scrub(res.Content)
	return res
}

func (s *service) send(ctx context.Context, r request) agent.ToolResult {
	var sent atomic.Bool // without a connection, the service cannot have done anything
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	var body io.Reader // none is not the same as an empty one
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(traced, r.method, r.url, body)
	if err != nil {
		return agent.ToolResult{ErrorType: agent.ErrInvalidParams, Content: "These arguments make no address: " + err.Error() + "."}
	}
	for _, h := range r.headers {
		req.Header.Set(h[0], h[1])
	}
	req.Header.Set("User-Agent", "fusebox")
	req.Header.Set("Accept", "application/json, */*;q=0.5")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range s.conf.Headers { // above those of the call
		req.Header.Set(name, value)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return s.lost(ctx, err, sent.Load() && !reads(r.method))
	}
	defer func() { _ = res.Body.Close() }()
	result, err := s.answer(res)
	if err != nil {
		return s.lost(ctx, err, !reads(r.method))
	}
	return result
}

// lost is the result of a request without a whole answer. Where it may have had effects, a
// person is asked what happened.
func (s *service) lost(ctx context.Context, err error, uncertain bool) agent.ToolResult {
	if ctx.Err() != nil {
		return agent.ToolResult{ErrorType: agent.ErrCancelled, Content: "The request to " + s.conf.Name + " was cancelled."}
	}
	says := "The service " + s.conf.Name + " could not be reached: "
	if uncertain {
		says = "The connection to the service " + s.conf.Name + " was lost during the call: "
	}
	return agent.ToolResult{ErrorType: agent.ErrNetwork, Uncertain: uncertain, Content: says + strings.TrimSuffix(cause(err), ".") + "."}
}

// newClient makes a client for one host, which may be private. It follows redirects within the host,
// of requests that only read.
func newClient(base string) (*http.Client, error) {
	origin, err := safehttp.Origin(base)
	if err != nil {
		return nil, err
	}
	client := safehttp.New(safehttp.Options{Allow: []string{origin}})
	checked := client.CheckRedirect
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0]
		if !reads(first.Method) || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
			return http.ErrUseLastResponse
		}
		return checked(req, via)
	}
	return client, nil
}

// cause is an error without the address, whose arguments the caller knows.
func cause(err error) string {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	return err.Error()
}
