package bench

import (
	"slices"
	"time"
)

// samples are measured values of one thing.
type samples []float64

// enoughForTails is how many samples make the highest percentiles worth showing.
const enoughForTails = 20

// line is a line of the table with the median of the samples.
func (s samples) line(id, name, unit string) Line {
	sorted := slices.Sorted(slices.Values(s))
	l := Line{ID: id, Name: name, Unit: unit, Samples: len(s)}
	if len(s) == 0 {
		return l
	}
	l.Value, l.Low, l.High = percentile(sorted, 50), sorted[0], sorted[len(sorted)-1]
	if len(s) >= enoughForTails {
		l.P95, l.P99 = percentile(sorted, 95), percentile(sorted, 99)
	}
	return l
}

// percentile is the smallest of the sorted values that p percent are not above.
func percentile(sorted []float64, p int) float64 {
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}

// median is that of samples that there are.
func (s samples) median() float64 { return percentile(slices.Sorted(slices.Values(s)), 50) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
