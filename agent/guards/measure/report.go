package measure

import (
	"maps"
	"slices"
)

// Report is what was measured.
type Report struct {
	Cases int `json:"cases"`
	// Rows are for all detectors and for each one that spoke: first over all kinds,
	// then each kind.
	Rows []Row `json:"rows"`
	// List has the cases that are not as labelled, and those that change.
	List []Listed `json:"list"`
}

// Row is what one detector made of the cases of one kind.
type Row struct {
	Detector string `json:"detector"`
	Kind     string `json:"kind"`
	Now      Tally  `json:"now"`
	Then     *Tally `json:"then,omitempty"`
}

// AsLabelled reports whether every labelled case is as its label says, with the
// other settings if there are any.
func (r Report) AsLabelled() bool {
	return !slices.ContainsFunc(r.List, func(l Listed) bool {
		o := l.Now
		if l.Then != nil {
			o = *l.Then
		}
		return o.Result == Missed || o.Result == False
	})
}

// Report is what has been measured so far.
func (m *Measure) Report() Report {
	r := Report{Cases: m.cases, List: append([]Listed{}, m.list...)}
	kinds := slices.Sorted(maps.Keys(m.now.kinds))
	for _, detector := range m.detectors() {
		for _, kind := range append([]string{AllKinds}, kinds...) {
			row := Row{Detector: detector, Kind: kind, Now: m.now.tally(detector, kind)}
			if m.Then != nil {
				then := m.then.tally(detector, kind)
				row.Then = &then
			}
			if detector == AnyDetector || row.Now.spoke() || row.Then != nil && row.Then.spoke() {
				r.Rows = append(r.Rows, row)
			}
		}
	}
	return r
}

// detectors are those that spoke, after the row for any.
func (m *Measure) detectors() []string {
	spoke := map[string]bool{}
	maps.Copy(spoke, m.now.detectors)
	maps.Copy(spoke, m.then.detectors)
	delete(spoke, AnyDetector)
	return append([]string{AnyDetector}, slices.Sorted(maps.Keys(spoke))...)
}

// Unlabelled reports whether a case without a label tripped anything.
func (r Report) Unlabelled() bool {
	return slices.ContainsFunc(r.List, func(l Listed) bool { return l.Label == "" })
}
