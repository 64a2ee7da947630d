package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"fusebox/agent"
)

// openCollector tells what is open, as the database has it at that moment.
type openCollector struct {
	source Source
	clock  agent.Clock
}

var (
	pendingDesc = prometheus.NewDesc("fusebox_approvals_pending", "Pending approvals.", []string{"kind"}, nil)
	oldestDesc  = prometheus.NewDesc("fusebox_approval_oldest_pending_seconds",
		"Age of the oldest pending approval, 0 if there is none.", []string{"kind"}, nil)
	activeDesc = prometheus.NewDesc("fusebox_runs_active", "Runs that have not ended.", []string{"status"}, nil)
)

// Those that are reported even if there is none, so that a graph has no gaps.
var (
	cardKinds    = []agent.ApprovalKind{agent.KindTool, agent.KindLoop, agent.KindBudget, agent.KindQuestion, agent.KindOutcome}
	openStatuses = []agent.Status{agent.StatusQueued, agent.StatusRunning, agent.StatusPaused}
)

// Describe implements prometheus.Collector.
func (c *openCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{pendingDesc, oldestDesc, activeDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *openCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	if err := c.pendingApprovals(ctx, ch); err != nil {
		ch <- prometheus.NewInvalidMetric(pendingDesc, err)
	}
	if err := c.runs(ctx, ch); err != nil {
		ch <- prometheus.NewInvalidMetric(activeDesc, err)
	}
}

func (c *openCollector) pendingApprovals(ctx context.Context, ch chan<- prometheus.Metric) error {
	found, err := c.source.PendingByKind(ctx)
	if err != nil {
		return err
	}
	byKind := map[agent.ApprovalKind]agent.PendingCount{}
	for _, o := range found {
		byKind[o.Kind] = o
	}
	for _, kind := range cardKinds {
		o, age := byKind[kind], 0.0
		if o.Count > 0 {
			age = max(0, c.clock.Now().Sub(o.Oldest).Seconds())
		}
		ch <- gauge(pendingDesc, float64(o.Count), string(kind))
		ch <- gauge(oldestDesc, age, string(kind))
	}
	return nil
}

func (c *openCollector) runs(ctx context.Context, ch chan<- prometheus.Metric) error {
	found, err := c.source.OpenRuns(ctx)
	if err != nil {
		return err
	}
	byStatus := map[agent.Status]int64{}
	for _, o := range found {
		byStatus[o.Status] = o.Count
	}
	for _, status := range openStatuses {
		ch <- gauge(activeDesc, float64(byStatus[status]), string(status))
	}
	return nil
}

func gauge(d *prometheus.Desc, value float64, label string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, label)
}
