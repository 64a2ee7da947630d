package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Buckets of commits: how many writes share one, and how long it takes.
var (
	groupBuckets  = prometheus.ExponentialBuckets(1, 2, 9)
	commitBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
)

// journal are the metrics that commits move.
type journal struct {
	commits     prometheus.Counter
	group, took prometheus.Histogram
	queue       prometheus.Gauge
}

func newJournal() journal {
	return journal{
		commits: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "fusebox_journal_commits_total", Help: "Commits of the database.",
		}),
		group: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fusebox_journal_group_size", Help: "Writes that shared a commit.", Buckets: groupBuckets,
		}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fusebox_journal_commit_seconds", Help: "Time from the beginning of a transaction to the end of its commit.", Buckets: commitBuckets,
		}),
		queue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fusebox_journal_queue_length", Help: "Writes that were waiting when the last commit ended.",
		}),
	}
}

func (j journal) all() []prometheus.Collector {
	return []prometheus.Collector{j.commits, j.group, j.took, j.queue}
}

// Committed counts a commit. It is called with the writing connection in hand, and
// allocates nothing.
func (m *Metrics) Committed(writes, waiting int, took time.Duration) {
	m.journal.commits.Inc()
	m.journal.group.Observe(float64(writes))
	m.journal.took.Observe(took.Seconds())
	m.journal.queue.Set(float64(waiting))
}
