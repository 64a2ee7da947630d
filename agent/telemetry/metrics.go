package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fusebox/agent"
)

// Source is what is read from the database when metrics are requested, and
// once at the start.
type Source interface {
	// SpendTotals is the whole bill for ever, by model.
	SpendTotals(ctx context.Context) ([]agent.SpendRow, error)
	PendingByKind(ctx context.Context) ([]agent.PendingCount, error)
	OpenRuns(ctx context.Context) ([]agent.OpenRuns, error)
	UnendedRuns(ctx context.Context) ([]agent.Run, error)
	UnendedCalls(ctx context.Context) ([]agent.ToolCall, error)
	PendingApprovals(ctx context.Context) ([]agent.Approval, error)
}

// Instance is what Metrics need to know about the server.
type Instance struct {
	Source Source
	// KnowsTool says whether a tool exists: models call others too, under any name.
	KnowsTool func(name string) bool
	// Provider is the name of a model's provider, as ProviderName has it.
	Provider func(model string) string
	// Readers counts the open websockets.
	Readers func() int
}

// Metrics count what happens. They are safe for concurrent use.
type Metrics struct {
	clock    agent.Clock
	log      *slog.Logger
	registry *prometheus.Registry
	models   *bounded
	m        instruments

	mu       sync.Mutex // guards what follows
	instance *Instance  // nil until Start
	runs     map[string]*runMemory
	cards    map[string]time.Time // undecided approvals: when they were asked
}

// NewMetrics makes Metrics, which count from Start on.
func NewMetrics(clock agent.Clock, log *slog.Logger, version string) *Metrics {
	m := &Metrics{
		clock: clock, log: log, registry: prometheus.NewRegistry(), models: newBounded(maxModels), m: newInstruments(),
		runs: map[string]*runMemory{}, cards: map[string]time.Time{},
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(), buildInfo(version),
	)
	m.registry.MustRegister(m.m.all...)
	return m
}

// Start counts from here on. What was open when the process began is remembered,
// so that it ends under its name and with its age.
func (m *Metrics) Start(ctx context.Context, instance Instance) error {
	m.registry.MustRegister(
		readers(instance.Readers), &ledgerCollector{instance.Source, m.models}, &openCollector{instance.Source, m.clock},
	)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.instance = &instance
	return m.recall(ctx)
}

// Handler answers GET /metrics. Where one figure cannot be read the others are
// reported all the same, and the fault is counted.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes,
		DisableCompression: true, // the server compresses all it answers
		Timeout:            scrapeTimeout, ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelError),
	})
}

// The bounds of answering: how many at once, and how long one may take.
const (
	maxScrapes    = 4
	scrapeTimeout = 20 * time.Second
	queryTimeout  = 10 * time.Second
)

func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "fusebox_build_info", Help: "The running version; the value is always 1.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	g.Set(1)
	return g
}

func readers(count func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "fusebox_websocket_readers", Help: "Open websockets of pages and programs.",
	}, func() float64 { return float64(count()) })
}
