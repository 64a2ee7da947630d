package main

import (
	"log/slog"
	"time"

	"fusebox/agent"
	"fusebox/agent/telemetry"
	"fusebox/cmd/fusebox/config"
)

// otlpTimeout bounds one try of an export.
const otlpTimeout = 10 * time.Second

// newTracer makes the exporter of traces, nil where none is configured.
func newTracer(t config.Telemetry, log *slog.Logger, metrics *telemetry.Metrics) (*telemetry.Tracer, error) {
	if t.URL() == "" {
		return nil, nil
	}
	client, err := clientFor(otlpTimeout, t.URL())
	if err != nil {
		return nil, err
	}
	return telemetry.NewTracer(telemetry.TracerOptions{
		Collector: telemetry.Collector{URL: t.URL(), Headers: t.Headers, Client: client, Clock: agent.SystemClock{}},
		Service:   t.Service, Version: programVersion(), Log: log,
	}, metrics), nil
}
