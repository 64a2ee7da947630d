package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Registry is where the metrics are registered.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }
