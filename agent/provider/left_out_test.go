package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"fusebox/agent"
	"fusebox/agent/provider/streamtest"
	"fusebox/agent/provider/wire"
)

// picky is an endpoint that refuses some tools in its own words.
type picky struct {
	*httptest.Server
	mu   sync.Mutex
	sent [][]string // the tools of each request
}

// newPicky makes an endpoint that answers where none of the odd tools is offered; says is
// the body of its refusal of one, which has a place among those that were sent.
func newPicky(t *testing.T, odd []string, says func(at int, name string) string) *picky {
	t.Helper()
	p := &picky{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Tools []struct{ Function struct{ Name string } }
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(raw, &body) != nil {
			t.Error("a request that cannot be read")
		}
		var names []string
		for _, tool := range body.Tools {
			names = append(names, tool.Function.Name)
		}
		p.mu.Lock()
		p.sent = append(p.sent, names)
		p.mu.Unlock()
		for i, name := range names {
			if slices.Contains(odd, name) {
				status(http.StatusBadRequest, says(i, name))(w, r)
				return
			}
		}
		status(http.StatusOK, streamtest.Answered(streamtest.Text("fine")))(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *picky) requests() [][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

func openAIError(message, param string) string {
	raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": param, "code": "invalid_function_parameters"}})
	return string(raw)
}

// toolRefusals are how endpoints refuse a tool.
var toolRefusals = map[string]func(at int, name string) string{
	"OpenAI": func(at int, name string) string {
		return openAIError("Invalid schema for function '"+name+"': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.", fmt.Sprintf("tools[%d].function.parameters", at))
	},
	"OpenAI, a property called like a parameter": func(_ int, name string) string {
		return openAIError("Invalid schema for function '"+name+"': In context=('properties', 'temperature'), 'not' is not permitted.", "")
	},
	"OpenAI, a property called like another tool": func(_ int, name string) string {
		return openAIError("Invalid schema for function '"+name+"': In context=('properties', 'calc'), array schema missing items.", "")
	},
	"OpenAI, too long": func(at int, _ string) string {
		return openAIError(fmt.Sprintf("Invalid 'tools[%d].function.description': string too long.", at), "")
	},
	"Gemini": func(at int, _ string) string {
		return fmt.Sprintf(`[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[%d].parameters.properties[actions].items: missing field.\n","status":"INVALID_ARGUMENT"}}]`, at)
	},
	"Gemini, an unknown word": func(at int, _ string) string {
		return fmt.Sprintf(`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].functionDeclarations[%d].parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}`, at)
	},
	"Anthropic": func(at int, _ string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":"tools.%d.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"}}`, at)
	},
	"a list of places": func(at int, _ string) string {
		return fmt.Sprintf(`{"detail":[{"type":"value_error","loc":["body","tools",%d,"function","parameters"],"msg":"Value error"}]}`, at)
	},
	"by name": func(_ int, name string) string {
		return `{"message":"Tool ` + name + ` has an unsupported parameters definition"}`
	},
	"a path": func(at int, _ string) string {
		return fmt.Sprintf(`{"error":"/tools/%d/function/parameters must be an object"}`, at)
	},
}

func withTools(names ...string) agent.Request {
	req := hello()
	for _, name := range names {
		req.Tools = append(req.Tools, agent.ToolSpec{Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)})
	}
	return req
}

// TestToolsThatAreRefused: a tool that a refusal names is left out, the request is repeated,
// and that is remembered for the model, with a notice once.
func TestToolsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, says := range toolRefusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := newPicky(t, []string{"odd__a", "odd__b"}, says)
			p, _ := newProvider(t, at.URL)
			router, err := NewRouter(Endpoints{Offered: []*Provider{p}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			req := withTools("calc", "odd__a", "read", "odd__b")
			var w watcher
			comp, err := router.Complete(t.Context(), req, w.sink)
			if err != nil || comp.Content != "fine" {
				t.Fatalf("%q, %v", comp.Content, err)
			}
			if _, err := router.Complete(t.Context(), req, w.sink); err != nil {
				t.Fatal(err)
			}
			want := [][]string{{"calc", "odd__a", "read", "odd__b"}, {"calc", "read", "odd__b"}, {"calc", "read"}, {"calc", "read"}}
			if got := at.requests(); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("the requests offered %v", got)
			}
			if n := w.count(agent.DeltaNotice); n != 2 {
				t.Errorf("%d notices", n)
			}
			left := router.LeftOutTools()
			if len(left) != 2 || left[0].Tool != "odd__a" || left[1].Tool != "odd__b" || left[0].Model != "m" || !strings.Contains(left[0].Why, "(400)") || left[0].At.IsZero() {
				t.Errorf("left out: %+v", left)
			}
			req.Tools[1].Description = "Is mended."
			other := req
			other.Model = "n"
			for _, r := range []agent.Request{req, other} {
				before := len(at.requests())
				if _, err := router.Complete(t.Context(), r, w.sink); err != nil {
					t.Fatal(err)
				}
				if first := at.requests()[before]; !slices.Contains(first, "odd__a") {
					t.Errorf("a changed tool, and another model: %v", first)
				}
			}
		})
	}
}

// TestAllToolsAreRefused: with none left the chat goes on without.
func TestAllToolsAreRefused(t *testing.T) {
	t.Parallel()
	at := newPicky(t, []string{"a", "b", "c"}, toolRefusals["OpenAI"])
	p, _ := newProvider(t, at.URL)
	var w watcher
	if _, err := p.Complete(t.Context(), withTools("a", "b", "c"), w.sink); err != nil {
		t.Fatal(err)
	}
	if got := at.requests(); len(got) != 4 || len(got[3]) != 0 {
		t.Errorf("the requests offered %v", got)
	}
}

// TestRefusalsOfOtherThings take no tool away.
func TestRefusalsOfOtherThings(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"no tool":          "Invalid schema for function: unknown.",
		"another one":      "Invalid schema for function 'elsewhere'.",
		"a place beyond":   "Invalid 'tools[7].function.name'.",
		"all of them":      "Invalid 'tools': array too long. Expected an array with maximum length 2.",
		"a call":           "Invalid value: messages[3].tool_calls[0].function 'calc' has no arguments.",
		"a choice":         "tool_choice 'calc' is not among the tools.",
		"the answer":       "Invalid schema for response_format 'calc'.",
		"a word of a text": "The prompt mentions calc and was flagged.",
	} {
		if names := namedTools(wire.APIError{Text: message}, withTools("calc", "read").Tools); len(names) > 0 {
			t.Errorf("%s: %q leaves out %v", name, message, names)
		}
	}
}
