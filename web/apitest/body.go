package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	ndjson   = "application/x-ndjson"
	formKind = "multipart/form-data" // forms begin with two hyphens, and JSON does not
)

// forged are fields that tests send to prove that the server ignores them.
var forged = map[string][]string{
	"POST /api/v1/approvals/{id}/decision": {"decidedBy"},
	"POST /api/v1/budgets":                 {"createdBy"},
	"POST /api/v1/policy/rules":            {"createdBy", "id", "source"},
}

// checkRequest checks the body of a request that was accepted.
func (c *Checker) checkRequest(op *operation, sent []byte) error {
	spec, _ := c.doc.resolve(pointer(op.location, "requestBody"))
	if len(sent) == 0 {
		if spec["required"] == true {
			return errors.New("accepted without the body that is described as required")
		}
		return nil
	}
	for _, m := range c.doc.bodies(op) {
		if !m.request || (m.kind == formKind) != bytes.HasPrefix(sent, []byte("--")) {
			continue
		}
		value, err := readSent(m.kind, sent)
		if err != nil {
			return fmt.Errorf("request: %w", err)
		}
		if fields, ok := value.(object); ok {
			for _, name := range forged[op.name] {
				delete(fields, name)
			}
		}
		return c.checkValue(m, value)
	}
	if string(sent) == "{}" {
		return nil
	}
	return fmt.Errorf("accepted a body, and none is described: %s", sent)
}

// readSent reads the body of a request: JSON, or a form with files as an object of texts.
func readSent(kind string, sent []byte) (any, error) {
	if kind != formKind {
		return jsonschema.UnmarshalJSON(bytes.NewReader(sent))
	}
	first, _, _ := bytes.Cut(sent, []byte("\r\n"))
	form, err := multipart.NewReader(bytes.NewReader(sent), strings.TrimPrefix(string(first), "--")).ReadForm(int64(len(sent)))
	if err != nil {
		return nil, err
	}
	fields := object{}
	for name, values := range form.Value {
		fields[name] = values[0]
	}
	for name, files := range form.File {
		fields[name] = files[0].Filename
	}
	return fields, form.RemoveAll()
}

// checkResponse checks an answer's status, type and body.
func (c *Checker) checkResponse(op *operation, res *http.Response) error {
	status := op.status(res.StatusCode)
	if status == "" {
		return fmt.Errorf("status %d is not described", res.StatusCode)
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	for _, m := range c.doc.bodies(op) {
		if !m.request && m.name == op.name+" "+status && m.kind == kind {
			c.mark(m.String())
			return c.checkBody(m, res)
		}
	}
	return fmt.Errorf("status %d with the type %q is not described", res.StatusCode, kind)
}

// checkBody reads an answer's body, or checks it while the test reads it if it
// is a stream of lines.
func (c *Checker) checkBody(m media, res *http.Response) error {
	if m.kind == ndjson {
		res.Body = &lines{body: res.Body, check: func(line []byte) error { return c.checkJSON(m, line) }}
		return nil
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case m.kind == "" && len(body) > 0:
		return fmt.Errorf("status %d is described without a body, and has one: %s", res.StatusCode, body)
	case strings.HasSuffix(m.kind, "json"):
		return c.checkJSON(m, body)
	}
	return nil
}

func (c *Checker) checkJSON(m media, raw []byte) error {
	if c.hasPassed(m, raw) {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	if err := c.checkValue(m, value); err != nil {
		return err
	}
	c.pass(m, raw)
	return nil
}

// passage identifies a body that was compared with a schema.
func (c *Checker) passage(m media, raw []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.WriteString(m.direction() + " " + m.location + " ")
	_, _ = h.Write(raw)
	return h.Sum64()
}

// hasPassed reports whether the very same body was as described before: tests that wait for
// something read the same events and runs again and again.
func (c *Checker) hasPassed(m media, raw []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passed[c.passage(m, raw)]
}

func (c *Checker) pass(m media, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed[c.passage(m, raw)] = true
}

// checkValue compares a body with its schema and remembers what it had.
func (c *Checker) checkValue(m media, value any) error {
	_, at := c.doc.resolve(c.doc.variant(m.location, value))
	if err := c.doc.schemas[at].Validate(value); err != nil {
		raw, _ := json.Marshal(value)
		return fmt.Errorf("the %s is not as described:\n%w\n%s", m.direction(), err, raw)
	}
	c.walk(m.direction(), m.location, value)
	return nil
}

// CheckEvent checks an event that came by a websocket. A request of the API has
// to have come before it.
func (c *Checker) CheckEvent(raw []byte) error {
	return c.checkJSON(media{name: "event", location: "#/components/schemas/Event"}, raw)
}

func (m media) String() string { return strings.TrimSpace(m.name + " " + m.kind) }

func (m media) direction() string {
	if m.request {
		return "request"
	}
	return "response"
}
