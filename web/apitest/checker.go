package apitest

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"strings"
	"sync"
)

// descriptionPath is where a server serves its description.
const descriptionPath = "/api/openapi.json"

// Checker is an http.RoundTripper that compares what it carries with the
// description. It is safe for concurrent use; one serves a whole test process.
type Checker struct {
	// Base does the requests; nil is http.DefaultTransport.
	Base http.RoundTripper

	once    sync.Once
	doc     *description
	loadErr error

	seed maphash.Seed // of passed

	mu     sync.Mutex
	seen   map[string]bool // locations in the description
	passed map[uint64]bool // bodies that were as described
}

// Client is an HTTP client whose answers are checked.
func (c *Checker) Client() *http.Client { return &http.Client{Transport: c} }

// RoundTrip implements http.RoundTripper. An answer of the API that is not as
// described is an error that says where it differs.
func (c *Checker) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(req.URL.Path, "/api/") {
		return c.base().RoundTrip(req)
	}
	if err := c.load(req); err != nil {
		return nil, err
	}
	sent, req, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	res, err := c.base().RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := c.check(req, sent, res); err != nil {
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, err)
	}
	return res, nil
}

func (c *Checker) base() http.RoundTripper {
	if c.Base != nil {
		return c.Base
	}
	return http.DefaultTransport
}

// load reads the description from the server, once for all requests.
func (c *Checker) load(req *http.Request) error {
	c.once.Do(func() {
		c.seed, c.passed = maphash.MakeSeed(), map[uint64]bool{}
		at := *req.URL
		at.Path, at.RawQuery = descriptionPath, ""
		ask, err := http.NewRequest(http.MethodGet, at.String(), http.NoBody) //nolint:noctx // it serves every later request too
		if err != nil {
			c.loadErr = err
			return
		}
		res, err := c.base().RoundTrip(ask)
		if err != nil {
			c.loadErr = err
			return
		}
		defer func() { _ = res.Body.Close() }()
		c.doc, c.loadErr = readDescription(res.Body)
	})
	return c.loadErr
}

// bodyOf reads a request's body and returns a request that still has it.
func bodyOf(req *http.Request) ([]byte, *http.Request, error) {
	if req.Body == nil {
		return nil, req, nil
	}
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, nil, err
	}
	_ = req.Body.Close()
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(sent))
	return sent, again, nil
}

// check compares a request and its answer with the description.
func (c *Checker) check(req *http.Request, sent []byte, res *http.Response) error {
	if req.Method == http.MethodOptions || req.Method == http.MethodHead {
		return nil // the router answers these by itself
	}
	op := c.doc.operation(req.Method, req.URL.EscapedPath())
	if op == nil {
		return c.checkUnknown(res)
	}
	if res.StatusCode < http.StatusBadRequest {
		if err := c.checkQuery(op, req.URL.Query()); err != nil {
			return err
		}
		if err := c.checkRequest(op, sent); err != nil {
			return err
		}
	}
	return c.checkResponse(op, res)
}

// checkUnknown allows an address that is not described to be refused only.
func (c *Checker) checkUnknown(res *http.Response) error {
	if res.StatusCode < http.StatusBadRequest {
		return fmt.Errorf("answered %d, and is not described", res.StatusCode)
	}
	return nil
}

// mark remembers that the described thing at a location was sent.
func (c *Checker) mark(location string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[location] = true
}
