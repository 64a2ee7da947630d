package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"fusebox/agent"
)

// ledgerCollector tells what was spent, as the ledger has it at that moment: its
// counters equal the bill always, and a restart does not set them back.
type ledgerCollector struct {
	source Source
	models *bounded
}

var (
	tokensDesc = prometheus.NewDesc("fusebox_tokens_total",
		"Tokens of all model calls, from the ledger: input is the whole input and cached_input the part of it that was cached; output is the whole output and reasoning the part of it that was reasoning.",
		[]string{labelModel, labelTokenType}, nil)
	costDesc = prometheus.NewDesc("fusebox_cost_micro_usd_total",
		"Cost of all model calls in millionths of a US dollar, from the ledger; calls without a known price are not in it.",
		[]string{labelModel}, nil)
	callsDesc = prometheus.NewDesc("fusebox_model_calls_total",
		"Model calls with a line in the ledger, including those of judges and summaries.",
		[]string{labelModel}, nil)
	unpricedDesc = prometheus.NewDesc("fusebox_unpriced_calls_total",
		"Model calls without a known price.",
		[]string{labelModel}, nil)
)

// Describe implements prometheus.Collector.
func (c *ledgerCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{tokensDesc, costDesc, callsDesc, unpricedDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *ledgerCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	rows, err := c.source.SpendTotals(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(tokensDesc, err)
		return
	}
	for model, row := range c.byLabel(rows) {
		count := func(d *prometheus.Desc, v int64, more ...string) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), append([]string{model}, more...)...)
		}
		count(tokensDesc, row.InputTokens, "input")
		count(tokensDesc, row.CachedTokens, "cached_input")
		count(tokensDesc, row.OutputTokens, "output")
		count(tokensDesc, row.ReasoningTokens, "reasoning")
		count(costDesc, row.CostMicros)
		count(callsDesc, row.Lines)
		count(unpricedDesc, row.Unpriced)
	}
}

// byLabel adds up what comes under one label: models beyond the bound are one,
// so that all together are the whole bill.
func (c *ledgerCollector) byLabel(rows []agent.SpendRow) map[string]agent.SpendRow {
	sums := map[string]agent.SpendRow{}
	for _, r := range rows {
		label := c.models.label(r.Key)
		s := sums[label]
		s.Add(r)
		sums[label] = s
	}
	return sums
}
