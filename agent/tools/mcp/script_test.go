package mcp

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"fusebox/agent"
	"fusebox/agent/tools/mcp/mcptest"
)

// scripted is a server that plays a script, as a process.
func scripted(t *testing.T, s mcptest.Script) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: "mad", Transport: Stdio, Command: append([]string{self}, s.Args()...)}
}

// toolList are tools without parameters.
func toolList(names ...string) (list []json.RawMessage) {
	for _, name := range names {
		list = append(list, json.RawMessage(`{"name":"`+name+`","inputSchema":{"type":"object"}}`))
	}
	return list
}

// TestNoiseOnTheOutput: lines that are no messages are skipped and counted, wherever they
// stand, and cost neither the server nor a call.
func TestNoiseOnTheOutput(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ start, call, problem string }{
		"a banner and a warning": {"Server starting on stdio...\nnpm warn exec The following package was not found\n", "DEBUG: calling upstream\n", "it wrote 3 lines to its output that are no messages, which were skipped; the first: Server starting on stdio..."},
		"a log in JSON":          {`{"level":"info","msg":"starting"}` + "\n", `"done"` + "\n42\nnull\n", `it wrote 4 lines to its output that are no messages, which were skipped; the first: {"level":"info","msg":"starting"}`},
		"braces":                 {"{\n", "}}} no JSON {{{\n[1, 2]\n", "it wrote 3 lines"},
		"colours, blank lines, and a mark of the encoding": {"\n\r\n\uFEFF\x1b[32mready\x1b[0m\r\n", "\n", "the first: ready"},
		"progress on one line":                             {"", "10 %\r50 %\r100 %\r", "it wrote 3 lines"},
		"a text that does not end its line":                {"", "Loading... ", ""},
		"a log that quotes requests":                       {"", `received {"jsonrpc":"2.0","id":1,"method":"roots/list"}` + "\n", "it wrote 1 lines"},
		"no text at all":                                   {"", "\x00\xff\xfe\n", "it wrote 1 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.start(t, scripted(t, mcptest.Script{Tools: toolList("act"), Noise: tc.start, Called: map[string]string{"act": tc.call}}))
			w.becomes(t, agent.ServerReady)
			if res := w.call(t, "mad__act", `{}`); res.Content != "ok" || res.ErrorType != "" {
				t.Errorf("a call: %+v", res)
			}
			if s := w.becomes(t, agent.ServerReady); !strings.Contains(s.Problem, tc.problem) || tc.problem == "" && s.Problem != "" || strings.ContainsRune(s.Problem, '\x1b') {
				t.Errorf("problem %q", s.Problem)
			}
		})
	}
}

// TestNoiseHasABound: what does not end is no line, and the first line is shown in part and
// without secrets.
func TestNoiseHasABound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := scripted(t, mcptest.Script{Tools: toolList("act"), Noise: "key a-very-secret-value " + strings.Repeat("x", 100_000) + "\n", Called: map[string]string{"act": strings.Repeat("more\n", 5000)}})
	s.Env = map[string]string{"TOKEN": "a-very-secret-value"}
	w.start(t, s)
	w.becomes(t, agent.ServerReady)
	if res := w.call(t, "mad__act", `{}`); res.Content != "ok" {
		t.Errorf("a call: %+v", res)
	}
	if p := w.becomes(t, agent.ServerReady).Problem; !strings.Contains(p, "it wrote 5001 lines") || !strings.Contains(p, "key [TOKEN] xxx") || len(p) > 400 {
		t.Errorf("problem %q", p)
	}
}

// unknownParts are results with what the SDK does not know, and what is made of them.
var unknownParts = map[string]struct{ result, want string }{
	"video":        {`{"content":[{"type":"text","text":"here"},{"type":"video","data":"MTIzNDU2","mimeType":"video/mp4"}]}`, "here\n[video video/mp4, 6 bytes]"},
	"no_type":      {`{"content":[{"text":"plain"}]}`, "plain"},
	"own_kind":     {`{"content":[{"type":"json","json":{"a":1}}]}`, `{"type":"json","json":{"a":1}}`},
	"a_string":     {`{"content":"just text"}`, "just text"},
	"strings":      {`{"content":["one",{"type":"text","text":"two"}]}`, "one\ntwo"},
	"one_part":     {`{"content":{"type":"text","text":"alone"}}`, "alone"},
	"null_part":    {`{"content":[null,{"type":"text","text":"after"}]}`, "null\nafter"},
	"bad_base64":   {`{"content":[{"type":"image","data":"***","mimeType":"image/png"}]}`, "[image image/png, 2 bytes]"},
	"number":       {`{"content":[{"type":"text","text":5}]}`, `{"type":"text","text":5}`},
	"link":         {`{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}`, "[resource a: file:///a]"},
	"audio":        {`{"content":[{"type":"audio","data":"MTIz","mimeType":"audio/wav"}]}`, "[audio audio/wav, 3 bytes]"},
	"embedded":     {`{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain"}}]}`, "[resource text/plain file:///a, 0 bytes]"},
	"no_resource":  {`{"content":[{"type":"resource"}]}`, "[empty resource]"},
	"structured":   {`{"structuredContent":{"n":1}}`, `{"n":1}`},
	"empty_list":   {`{"content":[],"structuredContent":{"n":2}}`, `{"n":2}`},
	"odd_is_error": {`{"content":[{"type":"video","uri":"v"}],"isError":"no","structuredContent":{"n":3}}`, `{"type":"video","uri":"v"}`},
}

// TestPartsOfAnUnknownKind: they cost neither the call nor the connection.
func TestPartsOfAnUnknownKind(t *testing.T) {
	t.Parallel()
	script := mcptest.Script{Tools: toolList("after"), Results: map[string]json.RawMessage{}}
	for name, part := range unknownParts {
		script.Tools = append(script.Tools, toolList(name)...)
		script.Results[name] = json.RawMessage(part.result)
	}
	elsewhere := httptest.NewServer(script)
	t.Cleanup(elsewhere.Close)
	for over, server := range map[string]Server{
		"stdio":  scripted(t, script),
		"JSON":   {Name: "mad", Transport: HTTP, URL: elsewhere.URL + "/json"},
		"events": {Name: "mad", Transport: HTTP, URL: elsewhere.URL + "/events"},
	} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.start(t, server)
			w.becomes(t, agent.ServerReady)
			for name, part := range unknownParts {
				if res := w.call(t, "mad__"+name, `{}`); res.Content != part.want || res.ErrorType != "" {
					t.Errorf("%s: %+v, want %q", name, res, part.want)
				}
			}
			if res := w.call(t, "mad__after", `{}`); res.Content != "ok" {
				t.Errorf("after them: %+v", res)
			}
		})
	}
}

// TestSchemasOfOthers: harmless ones are mended, patterns of ECMA 262 are checked and not
// sent, and only a tool whose arguments can be no object is left out.
func TestSchemasOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start(t, scripted(t, mcptest.Script{Echo: true, Tools: []json.RawMessage{
		json.RawMessage(`{"name":"empty","inputSchema":{}}`),
		json.RawMessage(`{"name":"none"}`),
		json.RawMessage(`{"name":"any","inputSchema":true}`),
		json.RawMessage(`{"name":"notype","inputSchema":{"properties":{"a":{"type":"string"}}}}`),
		json.RawMessage(`{"name":"rootref","inputSchema":{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"type":"string"}}}}}}`),
		json.RawMessage(`{"name":"list","inputSchema":{"type":"array","items":{"type":"string"}}}`),
		json.RawMessage(`{"name":"send","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"email":{"type":"string","format":"email","pattern":"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"}},"required":["email"],"additionalProperties":false}}`),
	}}))
	s := w.becomes(t, agent.ServerReady)
	if w.offers("mad__list") || !strings.Contains(s.Problem, "mad__list is left out: its schema cannot be used: its type is array") {
		t.Errorf("a tool that takes a list: %q", s.Problem)
	}
	for tool, want := range map[string]string{
		"empty": `{"properties":{},"type":"object"}`, "none": `{"properties":{},"type":"object"}`, "any": `{"properties":{},"type":"object"}`,
		"notype":  `{"properties":{"a":{"type":"string"}},"type":"object"}`,
		"rootref": `{"$defs":{"A":{"properties":{"x":{"type":"string"}},"type":"object"}},"properties":{"x":{"type":"string"}},"type":"object"}`,
		"send":    `{"additionalProperties":false,"properties":{"email":{"format":"email","type":"string"}},"required":["email"],"type":"object"}`,
	} {
		if spec, _ := w.Lookup("mad__" + tool); string(spec.Parameters) != want {
			t.Errorf("%s is sent with %s, want %s", tool, spec.Parameters, want)
		}
	}
	if args, err := w.Validate("mad__send", `{"email":"ana@example.org"}`); err != nil {
		t.Errorf("an address: %v", err)
	} else if res := w.call(t, "mad__send", string(args)); res.Content != `{"email":"ana@example.org"}` {
		t.Errorf("a call with it: %+v", res)
	}
	if _, err := w.Validate("mad__send", `{"email":"ana..b@example.org"}`); agent.CodeOf(err) != agent.Invalid {
		t.Errorf("no address: %v", err)
	}
}
