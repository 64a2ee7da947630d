package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"fusebox/agent"
)

// TracerOptions say where traces go.
type TracerOptions struct {
	Collector Collector
	// Service is the service.name of the traces.
	Service, Version string
	Log              *slog.Logger
}

// Tracer exports a trace of each run once it has ended. A run lives across
// restarts and waits for days, so its spans are made at its end, from its rows.
type Tracer struct {
	TracerOptions
	ended   chan string // ids of runs
	quit    chan struct{}
	done    chan struct{}
	cancel  context.CancelFunc
	dropped *prometheus.CounterVec
	sent    prometheus.Counter

	runs      Runs
	knowsTool func(string) bool
	provider  func(string) string
}

// The bounds of exporting: how many ended runs may wait, and how long one may take.
const (
	maxWaiting    = 1024
	exportTimeout = time.Minute
)

// Why traces are dropped.
const (
	droppedFull   = "queue_full"
	droppedFailed = "failed"
)

// NewTracer makes a Tracer that exports from Start on.
func NewTracer(o TracerOptions, m *Metrics) *Tracer {
	t := &Tracer{
		TracerOptions: o, ended: make(chan string, maxWaiting), quit: make(chan struct{}), done: make(chan struct{}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fusebox_traces_dropped_total", Help: "Traces of runs that were not exported: the queue was full, or exporting failed.",
		}, []string{"reason"}),
		sent: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "fusebox_traces_exported_total", Help: "Traces of runs that the collector accepted.",
		}),
	}
	for _, reason := range []string{droppedFull, droppedFailed} {
		t.dropped.WithLabelValues(reason)
	}
	m.registry.MustRegister(t.dropped, t.sent)
	return t
}

// Observe notes the runs that have ended. It never waits.
func (t *Tracer) Observe(events []agent.Event) {
	for _, e := range events {
		if _, ok := e.Data.(agent.Finish); !ok {
			continue
		}
		select {
		case t.ended <- e.RunID:
		default:
			t.dropped.WithLabelValues(droppedFull).Inc()
		}
	}
}

// Start exports until Close.
func (t *Tracer) Start(ctx context.Context, runs Runs, instance Instance) {
	t.runs, t.knowsTool, t.provider = runs, instance.KnowsTool, instance.Provider
	// Close ends it, not ctx: runs continue ending while the program stops.
	ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go t.work(ctx)
}

// Close exports what still waits, as long as ctx allows.
func (t *Tracer) Close(ctx context.Context) {
	close(t.quit)
	select {
	case <-t.done:
	case <-ctx.Done():
	}
	t.cancel()
	<-t.done
}

func (t *Tracer) work(ctx context.Context) {
	defer close(t.done)
	for {
		select {
		case id := <-t.ended:
			t.export(ctx, id)
		case <-t.quit:
			if len(t.ended) == 0 {
				return
			}
		}
	}
}

func (t *Tracer) export(ctx context.Context, runID string) {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	p, err := readPast(ctx, t.runs, runID)
	if agent.CodeOf(err) == agent.NotFound {
		return // its conversation was deleted
	}
	if err == nil {
		err = t.Collector.send(ctx, t.document(t.spansOf(p)))
	}
	if err != nil {
		t.dropped.WithLabelValues(droppedFailed).Inc()
		t.Log.Warn("exporting a trace failed", "run_id", runID, "error", err)
		return
	}
	t.sent.Inc()
}

// schemaURL names the conventions that the attributes follow.
const schemaURL = "https://opentelemetry.io/schemas/1.37.0"

func (t *Tracer) document(spans []*otlp.Span) *otlp.TracesData {
	var a attributes
	a.text("service.name", t.Service)
	a.text("service.version", t.Version)
	return &otlp.TracesData{ResourceSpans: []*otlp.ResourceSpans{{
		Resource: &resource.Resource{Attributes: a}, SchemaUrl: schemaURL,
		ScopeSpans: []*otlp.ScopeSpans{{
			Scope: &common.InstrumentationScope{Name: "fusebox", Version: t.Version}, Spans: spans, SchemaUrl: schemaURL,
		}},
	}}}
}
