package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Labels are named after the attributes of OpenTelemetry's conventions for
// generative AI, dots as underscores.
const (
	labelModel     = "gen_ai_request_model"
	labelTokenType = "gen_ai_token_type"
	labelTool      = "gen_ai_tool_name"
	labelProvider  = "gen_ai_provider_name"
	labelOperation = "gen_ai_operation_name"
)

// Buckets in seconds: of a model's answer (with its retries), of the time to its
// first token, of tools, and of people, who take from seconds to days.
var (
	answerBuckets = []float64{.1, .25, .5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640}
	tokenBuckets  = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	toolBuckets   = []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	personBuckets = []float64{5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400, 43200, 86400, 259200}
)

// Buckets of commits: how many writes share one, and how long it takes.
var (
	groupBuckets  = prometheus.ExponentialBuckets(1, 2, 9)
	commitBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
)

// instruments are the metrics that committed events move, commits themselves, and checks of
// the database.
type instruments struct {
	steps, runs, trips                       *prometheus.CounterVec
	asked, decided                           *prometheus.CounterVec
	retries, fallbacks, toolCalls, warnings  *prometheus.CounterVec
	waited, toolTook, answerTook, firstToken *prometheus.HistogramVec

	commits               prometheus.Counter
	group, took           prometheus.Observer
	queue, sound, checked prometheus.Gauge

	all []prometheus.Collector
}

func newInstruments() instruments {
	var i instruments
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		i.all = append(i.all, c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		i.all = append(i.all, h)
		return h
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		i.all = append(i.all, g)
		return g
	}
	i.steps = counter("fusebox_steps_total", "Finished steps: model answers, without the calls of judges and summaries.", labelModel)
	i.runs = counter("fusebox_runs_total", "Ended runs, by how they ended.", "status", "stop_reason")
	i.trips = counter("fusebox_guard_trips_total", "Breaker verdicts above pass, by level: warning, critical or breaker.", "detector", "level")
	i.asked = counter("fusebox_approvals_requested_total", "Approvals requested from people.", "kind", "risk")
	i.decided = counter("fusebox_approvals_decided_total", "Approvals that were closed; cancelled if the run ended first, expired if no one decided in time.", "kind", "decision")
	i.waited = histogram("fusebox_approval_wait_seconds", "Age of an approval when it was decided; expired and cancelled ones are left out.", personBuckets, "kind")
	i.retries = counter("fusebox_model_retries_total", "Waits before a model call was retried, by the class of its HTTP status, none if there was no answer.", "status_class")
	i.fallbacks = counter("fusebox_model_fallbacks_total", "Fallbacks to another kind of request or another model.", "reason")
	i.toolCalls = counter("fusebox_tool_calls_total", "Finished tool calls: success, error or cancelled. Unknown tools are counted as other.", labelTool, "state")
	i.toolTook = histogram("fusebox_tool_duration_seconds", "Execution time of tools, without earlier waits.", toolBuckets, labelTool)
	i.answerTook = histogram("gen_ai_client_operation_duration_seconds", "Time from the start of a step to the end of its answer, including retries.", answerBuckets, labelOperation, labelModel, labelProvider)
	i.firstToken = histogram("gen_ai_server_time_to_first_token_seconds", "Time from the start of a step to the first piece of its text, reasoning or tool call.", tokenBuckets, labelOperation, labelModel, labelProvider)
	i.warnings = counter("fusebox_budget_warnings_total", "Budgets that came near their limit (warning) or reached it (reached).", "scope", "level")

	i.commits = counter("fusebox_journal_commits_total", "Commits of the database.").WithLabelValues()
	i.group = histogram("fusebox_journal_group_size", "Writes that shared a commit.", groupBuckets).WithLabelValues()
	i.took = histogram("fusebox_journal_commit_seconds", "Time from the beginning of a transaction to the end of its commit.", commitBuckets).WithLabelValues()
	i.queue = gauge("fusebox_journal_queue_length", "Writes that were waiting when the last commit ended.")
	i.sound = gauge("fusebox_database_sound", "1 where the last check of the database found nothing damaged, 0 where it did, or could not be made.")
	i.checked = gauge("fusebox_database_checked_timestamp_seconds", "When the database was last checked; 0 before the first time.")
	return i
}
