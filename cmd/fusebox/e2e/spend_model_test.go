package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// spent is what model calls took, as the endpoint itself counts it.
type spent struct{ lines, input, cached, output, reasoning, cost int64 }

func (s *spent) add(o spent) {
	s.lines += o.lines
	s.input += o.input
	s.cached += o.cached
	s.output += o.output
	s.reasoning += o.reasoning
	s.cost += o.cost
}

// meteredModel is an endpoint that writes down what it bills, by model and by
// the person whose name is in the request.
type meteredModel struct {
	mu       sync.Mutex
	calls    int64
	byModel  map[string]*spent
	byPerson map[string]*spent
}

// rates are micro-USD per million tokens of input, cached input, output and
// reasoning; gamma has none.
var rates = map[string][4]int64{"alpha": {3_000_000, 300_000, 15_000_000, 15_000_000}, "beta": {150_000, 75_000, 600_000, 700_000}, "judge": {99_999, 1, 333_333, 0}}

// ratesFile is the same for the program, in USD.
const ratesFile = `
[prices.alpha]
input = 3.0
cached = 0.3
output = 15.0
reasoning = 15.0
[prices.beta]
input = 0.15
cached = 0.075
output = 0.6
reasoning = 0.7
[prices.judge]
input = 0.099999
cached = 0.000001
output = 0.333333
`

func startMetered(t testing.TB) (m *meteredModel, env []string) {
	t.Helper()
	m = &meteredModel{byModel: map[string]*spent{}, byPerson: map[string]*spent{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "prices.toml")
	if err := os.WriteFile(file, []byte(ratesFile), 0o600); err != nil {
		t.Fatal(err)
	}
	return m, []string{
		"OPENAI_BASE_URL=" + server.URL + "/v1", "FUSEBOX_MODEL=alpha", "FUSEBOX_CONFIG=" + file,
		"FUSEBOX_GUARD_JUDGE_MODEL=judge", "FUSEBOX_GUARD_JUDGE_AFTER=1",
	}
}

func (m *meteredModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"alpha","object":"model"},{"id":"beta","object":"model"},{"id":"gamma","object":"model"},{"id":"judge","object":"model"}]}`)
		return
	}
	raw, err := io.ReadAll(r.Body)
	var req struct {
		Model  string
		Stream bool
	}
	if err != nil || json.Unmarshal(raw, &req) != nil {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	n, used := m.bill(req.Model, string(raw))
	message := map[string]any{"role": "assistant", "content": "done"}
	finish := "stop"
	if req.Model != "judge" && !strings.Contains(string(raw), `"role":"tool"`) && strings.Contains(string(raw), "count") {
		finish = "tool_calls"
		message["tool_calls"] = []any{call(0, "calculator", `{"expression":"1+1"}`), call(1, "list_files", `{"path":"."}`), call(2, "calculator", `{"expression":"2+2"}`)}
	}
	if !req.Stream {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "model": req.Model, "usage": used.usage(), "choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	streamed(w, req.Model, n, message, finish, used)
}

// bill draws what a call takes from its number, and writes it down.
func (m *meteredModel) bill(model, request string) (int64, spent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	n := m.calls
	used := spent{lines: 1, input: 1000 + 37*n, cached: 11 * n, output: 60 + 3*n, reasoning: n % 13}
	if p, priced := rates[model]; priced {
		reasoning := p[3]
		if reasoning == 0 {
			reasoning = p[2]
		}
		sum := (used.input-used.cached)*p[0] + used.cached*p[1] + (used.output-used.reasoning)*p[2] + used.reasoning*reasoning
		used.cost = (sum + 500_000) / 1_000_000
	}
	person := "ana@example.org"
	if strings.Contains(request, "for rex") {
		person = "rex@example.org"
	}
	for at, all := range map[string]map[string]*spent{model: m.byModel, person: m.byPerson} {
		if all[at] == nil {
			all[at] = &spent{}
		}
		all[at].add(used)
	}
	return n, used
}

func (s spent) usage() map[string]any {
	return map[string]any{
		"prompt_tokens": s.input, "completion_tokens": s.output, "total_tokens": s.input + s.output,
		"prompt_tokens_details": map[string]any{"cached_tokens": s.cached}, "completion_tokens_details": map[string]any{"reasoning_tokens": s.reasoning},
	}
}

func call(i int, tool, args string) map[string]any {
	return map[string]any{"index": i, "id": fmt.Sprint("call_", i), "type": "function", "function": map[string]string{"name": tool, "arguments": args}}
}

// streamed tells the usage in a last chunk without choices, with the end of the
// answer, or in every chunk, growing.
func streamed(w io.Writer, model string, n int64, message map[string]any, finish string, used spent) {
	part := func(choices []any, usage any) {
		v := map[string]any{"id": "x", "object": "chat.completion.chunk", "model": model, "choices": choices}
		if usage != nil {
			v["usage"] = usage
		}
		raw, _ := json.Marshal(v)
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	first, end := []any{map[string]any{"index": 0, "delta": message}}, []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}
	switch n % 3 {
	case 0:
		part(first, nil)
		part(end, nil)
		part([]any{}, used.usage())
	case 1:
		part(first, nil)
		part(end, used.usage())
	default:
		half := used
		half.output, half.reasoning = used.output/2, used.reasoning/2
		part(first, half.usage())
		part(end, used.usage())
		part([]any{}, used.usage())
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
