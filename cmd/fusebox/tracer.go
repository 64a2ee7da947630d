package main

import (
	"fusebox/agent/telemetry"
	"log/slog"
	"time"
)

// otlpTimeout bounds one try of an export.
const otlpTimeout = 10 * time.Second

// newTracer makes the exporter of traces, nil where none is configured.
func newTracer(t telemetryConfig, log *slog.Logger, metrics *telemetry.Metrics) (*telemetry.Tracer, error) {
	if t.url() == "" {
		return nil, nil
	}
	client, err := clientFor(otlpTimeout, t.url())
	if err != nil {
		return nil, err
	}
	return telemetry.NewTracer(telemetry.TracerOptions{
		Collector: telemetry.Collector{URL: t.url(), Headers: t.headers, Client: client, Clock: systemClock{}},
		Service:   t.service, Version: programVersion(), Log: log,
	}, metrics), nil
}
