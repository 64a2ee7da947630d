package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// database says how the last check of the database ended.
type database struct{ sound, checked prometheus.Gauge }

func newDatabase() database {
	return database{
		sound: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fusebox_database_sound", Help: "1 where the last check of the database found nothing damaged, 0 where it did, or could not be made.",
		}),
		checked: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fusebox_database_checked_timestamp_seconds", Help: "When the database was last checked; 0 before the first time.",
		}),
	}
}

func (d database) all() []prometheus.Collector { return []prometheus.Collector{d.sound, d.checked} }

// DatabaseChecked notes how a check of the database ended.
func (m *Metrics) DatabaseChecked(at time.Time, sound bool) {
	m.database.checked.Set(float64(at.Unix()))
	m.database.sound.Set(0)
	if sound {
		m.database.sound.Set(1)
	}
}
