package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

const resultVersion = 1

// Result is the table, and what it was measured with.
type Result struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
	Machine Machine   `json:"machine"`
	// Endpoint is "built-in", or the model and address of the one that was given.
	Endpoint string `json:"endpoint"`
	Lines    []Line `json:"lines"`
	// Notes say what could not be measured.
	Notes []string `json:"notes,omitempty"`
}

// Machine is what a result depends on.
type Machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
	// Program is the version, Commit the source that it was built from where that is known.
	Program string `json:"program"`
	Commit  string `json:"commit,omitempty"`
}

// Line is a line of the table. Values of a line with one ID can be compared.
type Line struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// More says that a higher value is the better one.
	More bool `json:"moreIsBetter"`
	// Value is the median of the samples; the percentiles are there where there are enough of them.
	Value   float64 `json:"value"`
	P95     float64 `json:"p95,omitempty"`
	P99     float64 `json:"p99,omitempty"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Samples int     `json:"samples"`
}

func machine(program string) Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version(), Program: program}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			m.Commit = s.Value
		}
	}
	return m
}

// Read reads a result that was printed as JSON.
func Read(file string) (Result, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return Result{}, fmt.Errorf("cannot be read: %w", err)
	}
	var r Result
	if err := json.Unmarshal(raw, &r); err != nil {
		return Result{}, fmt.Errorf("is not JSON: %w", err)
	}
	if r.Version != resultVersion || len(r.Lines) == 0 {
		return Result{}, fmt.Errorf("is not a result of version %d", resultVersion)
	}
	return r, nil
}

// Line is the line of an ID, where the result has it.
func (r Result) Line(id string) (Line, bool) {
	for _, l := range r.Lines {
		if l.ID == id {
			return l, true
		}
	}
	return Line{}, false
}

type samples []float64

// enoughForTails is the number of samples from which the highest percentiles are shown.
const enoughForTails = 20

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

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
