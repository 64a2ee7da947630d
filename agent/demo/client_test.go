package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fusebox/agent/demo/wire"
)

// client is a chat of a person with the demo model over real HTTP. It plays
// the loop's part: it keeps the history and answers calls.
type client struct {
	t        *testing.T
	url      string
	stream   bool
	tools    []string
	messages []map[string]any
	// system is the system prompt, and agents are those that delegate is said to know.
	system, agents string
}

var allTools = []string{"calculator", "get_weather", "list_files", "read_file", "write_file", "run_shell", "terminate"}

// said is an answer as a client understands it.
type said struct {
	Content   string
	Reasoning string
	Calls     []wire.Call
	Finish    string
	Usage     *usage
	Chunks    int
}

func newClient(t *testing.T, stream bool) *client {
	t.Helper()
	srv := httptest.NewServer(Handler(Options{}))
	t.Cleanup(srv.Close)
	return &client{t: t, url: srv.URL, stream: stream, tools: allTools, system: "Be helpful."}
}

// both runs a scenario with and without streaming.
func both(t *testing.T, scenario func(t *testing.T, c *client)) {
	t.Helper()
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("stream=%v", stream), func(t *testing.T) {
			t.Parallel()
			scenario(t, newClient(t, stream))
		})
	}
}

func (c *client) user(text string) {
	c.messages = append(c.messages, map[string]any{"role": "user", "content": text})
}

func (c *client) body() []byte {
	req := map[string]any{
		"model": Model, "messages": append([]map[string]any{{"role": "system", "content": c.system}}, c.messages...),
		"stream": c.stream,
	}
	if c.stream {
		req["stream_options"] = map[string]any{"include_usage": true}
	}
	var tools []any
	for _, name := range c.tools {
		description := name
		if name == delegateTool {
			description += " to one of: " + c.agents
		}
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": name, "description": description, "parameters": map[string]any{"type": "object"}}})
	}
	if tools != nil {
		req["tools"] = tools
	}
	raw, err := json.Marshal(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return raw
}

func (c *client) post(path string, body []byte) (int, http.Header, []byte) {
	c.t.Helper()
	res, err := http.Post(c.url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, res.Header, raw
}

// next asks for the next answer and adds it to the history.
func (c *client) next() said {
	c.t.Helper()
	status, _, raw := c.post("/v1/chat/completions", c.body())
	if status != http.StatusOK {
		c.t.Fatalf("status %d: %s", status, raw)
	}
	read := readWhole
	if c.stream {
		read = readStream
	}
	s := read(c.t, raw)
	m := map[string]any{"role": "assistant", "content": s.Content}
	if len(s.Calls) > 0 {
		m["tool_calls"] = s.Calls
	}
	c.messages = append(c.messages, m)
	return s
}

// ask is a person's message and the answer to it.
func (c *client) ask(text string) said {
	c.t.Helper()
	c.user(text)
	return c.next()
}

// results answers the calls of s and asks for what comes next.
func (c *client) results(s said, results ...string) said {
	c.t.Helper()
	if len(results) != len(s.Calls) {
		c.t.Fatalf("%d results for %d calls", len(results), len(s.Calls))
	}
	for i, r := range results {
		c.messages = append(c.messages, map[string]any{"role": "tool", "tool_call_id": s.Calls[i].ID, "content": r})
	}
	return c.next()
}

func readWhole(t *testing.T, raw []byte) said {
	t.Helper()
	var w struct {
		Choices []struct {
			Message struct {
				Content          string      `json:"content"`
				ReasoningContent string      `json:"reasoning_content"`
				ToolCalls        []wire.Call `json:"tool_calls"`
			} `json:"message"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
		Usage *usage `json:"usage"`
	}
	if err := json.Unmarshal(raw, &w); err != nil || len(w.Choices) != 1 {
		t.Fatalf("no completion (%v): %s", err, raw)
	}
	m := w.Choices[0].Message
	return said{Content: m.Content, Reasoning: m.ReasoningContent, Calls: m.ToolCalls, Finish: w.Choices[0].FinishReason, Usage: w.Usage}
}

func readStream(t *testing.T, raw []byte) said {
	t.Helper()
	var s said
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	done := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			done = true
			continue
		}
		readChunk(t, &s, data)
	}
	if !done || s.Usage == nil {
		t.Fatalf("done %v, usage %v at the end of %s", done, s.Usage, raw)
	}
	return s
}

func readChunk(t *testing.T, s *said, data string) {
	t.Helper()
	var c struct {
		Choices []struct {
			Delta struct {
				Content          string      `json:"content"`
				ReasoningContent string      `json:"reasoning_content"`
				ToolCalls        []wire.Call `json:"tool_calls"`
			} `json:"delta"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
		Usage *usage `json:"usage"`
	}
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatalf("chunk %s: %v", data, err)
	}
	s.Chunks++
	if c.Usage != nil {
		s.Usage = c.Usage
	}
	for _, ch := range c.Choices {
		s.Content += ch.Delta.Content
		s.Reasoning += ch.Delta.ReasoningContent
		if ch.FinishReason != "" {
			s.Finish = ch.FinishReason
		}
		for _, f := range ch.Delta.ToolCalls {
			if *f.Index == len(s.Calls) {
				s.Calls = append(s.Calls, wire.Call{ID: f.ID, Type: f.Type, Function: wire.Function{Name: f.Function.Name}})
			}
			s.Calls[*f.Index].Function.Arguments += f.Function.Arguments
		}
	}
}

// made lists calls as name and arguments.
func made(s said) []string {
	var list []string
	for _, c := range s.Calls {
		list = append(list, c.Function.Name+c.Function.Arguments)
	}
	return list
}
