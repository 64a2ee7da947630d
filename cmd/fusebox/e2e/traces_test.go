package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"fusebox/agent/agenttest"
)

// posted is what a collector got by one request.
type posted struct {
	path   string
	header http.Header
	doc    *otlp.TracesData
}

// startCollector receives OTLP over a socket. It is busy for the first request.
func startCollector(t *testing.T) (url string, got chan posted) {
	t.Helper()
	got = make(chan posted, 16)
	busy := make(chan struct{}, 1)
	busy <- struct{}{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-busy:
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		default:
		}
		raw, err := io.ReadAll(r.Body)
		doc := &otlp.TracesData{}
		if err != nil || proto.Unmarshal(raw, doc) != nil {
			http.Error(w, "no protobuf", http.StatusBadRequest)
			return
		}
		got <- posted{r.URL.Path, r.Header, doc}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func next(t *testing.T, got chan posted) posted {
	t.Helper()
	return agenttest.Receive(t, "a trace", got)
}

// TestTraces: a run with a retry, two tools and a wait for a person becomes a
// tree of spans with their true times, in which nobody's texts stand.
func TestTraces(t *testing.T) {
	t.Parallel()
	collector, got := startCollector(t)
	h := startInstance(t, "FUSEBOX_RETRY_BASE=10ms", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector,
		"OTEL_EXPORTER_OTLP_HEADERS=x-api-key=k%20y", "OTEL_SERVICE_NAME=our-box")
	h.model.stumbles(t.Name(), 1)
	run := h.asks(t, []asked{sh("echo hidden-argument; sleep 0.05"), {"calculator", `{"expression":"123456*1000003"}`}})
	decides(h.rex, h.card(t, run), `{"decision":"approve","comment":"hidden-comment"}`)
	h.ana.rests(run)
	p := next(t, got)
	if p.path != "/v1/traces" || p.header.Get("Content-Type") != "application/x-protobuf" || p.header.Get("X-Api-Key") != "k y" {
		t.Errorf("posted to %s with %v", p.path, p.header)
	}
	resource := p.doc.ResourceSpans[0]
	if name := resource.Resource.Attributes[0]; name.Key != "service.name" || name.Value.GetStringValue() != "our-box" {
		t.Errorf("the resource is %v", resource.Resource)
	}
	spans := resource.ScopeSpans[0].Spans
	treeOf(t, run, spans)
	attributesOf(t, h, run, spans)
	text := p.doc.String()
	for _, hidden := range []string{t.Name(), "hidden", "echo", "123456", "example.org", "fbx_", h.ana.token} {
		if strings.Contains(text, hidden) {
			t.Errorf("the trace gives %q away", hidden)
		}
	}
	agenttest.Eventually(t, "the counted export", func() bool { return h.scrape(t)["fusebox_traces_exported_total"] == 1 })
	if n := h.scrape(t)[`fusebox_traces_dropped_total{reason="failed"}`]; n != 0 {
		t.Errorf("%v traces were dropped", n)
	}
}

// TestTracesAtStop: a program that stops hands over what it still holds.
func TestTracesAtStop(t *testing.T) {
	t.Parallel()
	collector, got := startCollector(t) // its first answer is "later"
	h := startInstance(t, "FUSEBOX_TELEMETRY_OTLP_ENDPOINT="+collector)
	run := h.asks(t)
	if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Wait(); err != nil {
		t.Fatalf("the process ended with %v: %s", err, h.log)
	}
	select {
	case p := <-got:
		sum := sha256.Sum256([]byte(run))
		if id := p.doc.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId; string(id) != string(sum[:16]) {
			t.Errorf("it is trace %x", id)
		}
	default:
		t.Error("the trace was lost")
	}
}

// treeOf holds names, kinds, parents and times of the spans.
func treeOf(t *testing.T, run string, spans []*otlp.Span) {
	t.Helper()
	sum := sha256.Sum256([]byte(run))
	root := spans[0]
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
		if hex.EncodeToString(s.TraceId) != hex.EncodeToString(sum[:16]) {
			t.Errorf("%s is of trace %x", s.Name, s.TraceId)
		}
		if s != root && string(s.ParentSpanId) != string(root.SpanId) {
			t.Errorf("%s is not under the run", s.Name)
		}
		if s.StartTimeUnixNano < root.StartTimeUnixNano || s.EndTimeUnixNano > root.EndTimeUnixNano || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s does not lie within the run", s.Name)
		}
		if isChat := strings.HasPrefix(s.Name, "chat "); isChat != (s.Kind == otlp.Span_SPAN_KIND_CLIENT) {
			t.Errorf("%s is of kind %s", s.Name, s.Kind)
		}
	}
	slices.Sort(names[1:])
	want := []string{"invoke_agent fusebox", "chat scripted", "chat scripted", "execute_tool calculator", "execute_tool run_shell", "wait approval tool"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if len(root.ParentSpanId) != 0 {
		t.Error("the run has a parent")
	}
	backwards := slices.Clone(spans)
	slices.Reverse(backwards)
	first, second := named(spans, "chat scripted"), named(backwards, "chat scripted")
	shell, wait := named(spans, "execute_tool run_shell"), named(spans, "wait approval tool")
	inOrder := []uint64{first.StartTimeUnixNano, first.EndTimeUnixNano, wait.StartTimeUnixNano, wait.EndTimeUnixNano,
		shell.StartTimeUnixNano, shell.EndTimeUnixNano, second.StartTimeUnixNano, second.EndTimeUnixNano}
	if !slices.IsSorted(inOrder) {
		t.Errorf("call, wait, tool, call do not follow each other: %v", inOrder)
	}
	if took := shell.EndTimeUnixNano - shell.StartTimeUnixNano; took < uint64(50*time.Millisecond) {
		t.Errorf("the command took %d ns", took)
	}
	if len(first.Events) != 1 || first.Events[0].Name != "retry" {
		t.Errorf("the first call reports %v, want its retry", first.Events)
	}
}

func named(spans []*otlp.Span, name string) *otlp.Span {
	for _, s := range spans {
		if s.Name == name {
			return s
		}
	}
	return &otlp.Span{}
}

// attributesOf holds what the spans say of themselves.
func attributesOf(t *testing.T, h *instance, run string, spans []*otlp.Span) {
	t.Helper()
	for name, want := range map[string]map[string]any{
		"invoke_agent fusebox": {
			"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "scripted", "gen_ai.provider.name": "openai",
			"gen_ai.conversation.id": h.conversationOf[run], "fusebox.run.id": run, "fusebox.stop_reason": "goal",
			"gen_ai.usage.input_tokens": int64(200), "gen_ai.usage.output_tokens": int64(20), "fusebox.cost_micro_usd": int64(0),
		},
		"chat scripted": {
			"gen_ai.operation.name": "chat", "gen_ai.response.model": "scripted", "gen_ai.response.finish_reasons": "tool_calls",
			"gen_ai.usage.input_tokens": int64(100), "gen_ai.usage.output_tokens": int64(10),
		},
		"execute_tool run_shell": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_shell", "gen_ai.tool.call.id": "call_0_0"},
		"wait approval tool":     {"fusebox.approval.decision": "approve", "gen_ai.tool.name": "run_shell"},
	} {
		got := map[string]any{}
		for _, a := range named(spans, name).Attributes {
			switch {
			case a.Value.GetArrayValue() != nil:
				got[a.Key] = a.Value.GetArrayValue().Values[0].GetStringValue()
			case a.Value.GetStringValue() != "":
				got[a.Key] = a.Value.GetStringValue()
			default:
				got[a.Key] = a.Value.GetIntValue()
			}
		}
		for key, v := range want {
			if got[key] != v {
				t.Errorf("%s: %s is %v, want %v", name, key, got[key], v)
			}
		}
	}
}
