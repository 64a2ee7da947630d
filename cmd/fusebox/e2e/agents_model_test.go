package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// castModel is a model server that plays several agents. Who asks is known by the agent's
// instructions in the system prompt.
type castModel struct {
	plays func(cue) reply

	mu   sync.Mutex
	cues []cue
}

// cue is a request: who asks, about which task, and what they have come to.
type cue struct {
	agent   string // "" for the root
	task    string // the newest message of a person or of whoever delegates
	turn    int    // how many answers follow it
	tools   []string
	results []string // of the tools, in order
	told    string   // the whole request
	left    <-chan struct{}
}

// reply is what an agent answers.
type reply struct {
	says   string
	thinks string
	calls  []asked
	// took are the tokens of prompt and answer.
	took [2]int64
	// status is that of a refusal, such as 429.
	status int
	// silent answers begin and never end.
	silent bool
}

// agentIs finds the name of an agent in its instructions.
var agentIs = regexp.MustCompile(`My name is (\w+)\.`)

func startCast(t testing.TB, plays func(cue) reply) (*castModel, string) {
	t.Helper()
	m := &castModel{plays: plays}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return m, server.URL + "/v1"
}

// requests are those of an agent so far, about tasks with a text.
func (m *castModel) requests(agent, task string) []cue {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []cue
	for _, c := range m.cues {
		if c.agent == agent && strings.Contains(c.task, task) {
			found = append(found, c)
		}
	}
	return found
}

// asked is how many requests there were so far.
func (m *castModel) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.cues)
}

func (m *castModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	c, err := cueOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.cues = append(m.cues, c)
	m.mu.Unlock()
	a := m.plays(c)
	if a.status != 0 {
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"message":"slow down"}}`, a.status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if a.silent {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", `{"choices":[{"index":0,"delta":{"role":"assistant","content":"On and on"}}]}`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	if a.took == [2]int64{} {
		a.took = [2]int64{100, 10}
	}
	a.write(w, c)
}

// write writes an answer as a stream of two events.
func (a reply) write(w http.ResponseWriter, c cue) {
	delta, finish := map[string]any{"role": "assistant", "content": a.says}, "stop"
	if a.thinks != "" {
		delta["reasoning_content"] = a.thinks
	}
	if len(a.calls) > 0 {
		delta["tool_calls"], finish = callsOf(c.turn, a.calls), "tool_calls"
	}
	for _, v := range []map[string]any{
		{"choices": []any{map[string]any{"index": 0, "delta": delta}}},
		{
			"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}},
			"usage":   map[string]int64{"prompt_tokens": a.took[0], "completion_tokens": a.took[1], "total_tokens": a.took[0] + a.took[1]},
		},
	} {
		v["id"], v["object"], v["model"] = "x", "chat.completion.chunk", "scripted"
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

func cueOf(r *http.Request) (cue, error) {
	var raw json.RawMessage
	var req struct {
		Messages []struct {
			Role    string
			Content string
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		return cue{}, fmt.Errorf("read the request: %w", err)
	}
	if err := json.Unmarshal(raw, &req); err != nil {
		return cue{}, fmt.Errorf("read the request: %w", err)
	}
	c := cue{told: string(raw), left: r.Context().Done()}
	for _, x := range req.Messages {
		switch {
		case x.Role == "system":
			if found := agentIs.FindStringSubmatch(x.Content); found != nil {
				c.agent = found[1]
			}
		case x.Role == "user" && !strings.HasPrefix(x.Content, "[System reminder]"):
			c.task, c.turn, c.results = x.Content, 0, nil
		case x.Role == "assistant":
			c.turn++
		case x.Role == "tool":
			c.results = append(c.results, x.Content)
		}
	}
	for _, tool := range req.Tools {
		c.tools = append(c.tools, tool.Function.Name)
	}
	return c, nil
}

func (c cue) offered(tool string) bool { return slices.Contains(c.tools, tool) }

// delegates hands a task over; outputs may be nil.
func delegates(agent, task string, outputs map[string]string) asked {
	args := map[string]any{"agent": agent, "task": task}
	if outputs != nil {
		args["outputs"] = outputs
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return asked{"delegate", string(raw)}
}

// says and does are answers without and with calls.
func says(text string) reply    { return reply{says: text} }
func does(calls ...asked) reply { return reply{calls: calls} }
