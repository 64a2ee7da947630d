package measure

import (
	"maps"
	"slices"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/guards/histories"
)

// Names of the rows that count all detectors, and all kinds.
const (
	AnyDetector = "any"
	AllKinds    = "all"
)

// What became of a case.
const (
	Found   = "found"   // loud, and the breakers spoke
	Missed  = "missed"  // loud, and they did not
	Silent  = "silent"  // quiet or unlabelled, and they did not speak
	False   = "false"   // quiet, and they spoke
	Tripped = "tripped" // unlabelled, and they spoke
)

// Measure shows cases to the breakers and counts.
type Measure struct {
	Now guards.Setup
	// Then is nil where no other settings are to be measured beside the present.
	Then *guards.Setup

	cases     int
	now, then count
	list      []Listed
}

// Listed is a case that is not as its label says, or that changes.
type Listed struct {
	ID    string   `json:"id"`
	Kind  string   `json:"kind"`
	File  string   `json:"file"`
	Label string   `json:"label,omitempty"`
	Level string   `json:"level"`
	Now   Outcome  `json:"now"`
	Then  *Outcome `json:"then,omitempty"`
}

// Outcome is what became of a case. Verdict is the first of those that counted,
// or, where none did, the first of the most severe ones.
type Outcome struct {
	Result  string            `json:"result"`
	Verdict *guards.Explained `json:"verdict,omitempty"`
}

// Add shows one case to the breakers.
func (m *Measure) Add(c histories.Case, tools guards.Tools) error {
	m.cases++
	now, err := m.now.add(c, m.Now, tools)
	if err != nil {
		return err
	}
	l := Listed{ID: c.ID, Kind: c.Kind, File: c.File, Label: c.Label, Level: c.Level.String(), Now: now}
	worth := now.Result != Found && now.Result != Silent
	if m.Then != nil {
		then, err := m.then.add(c, *m.Then, tools)
		if err != nil {
			return err
		}
		l.Then, worth = &then, worth || then.Result != now.Result
	}
	if worth {
		m.list = append(m.list, l)
	}
	return nil
}

// outcome judges what the breakers said about a case.
func outcome(c histories.Case, said []guards.Explained) Outcome {
	var o Outcome
	spoke := false
	for _, v := range said {
		if spoke = levelOf(v) >= c.Level; spoke || o.Verdict == nil || levelOf(v) > levelOf(*o.Verdict) {
			o.Verdict = &v
		}
		if spoke {
			break
		}
	}
	switch {
	case c.Label == histories.Loud && spoke:
		o.Result = Found
	case c.Label == histories.Loud:
		o.Result = Missed
	case !spoke:
		o.Result = Silent
	case c.Label == histories.Quiet:
		o.Result = False
	default:
		o.Result = Tripped
	}
	return o
}

func levelOf(v guards.Explained) agent.Level {
	all := []agent.Level{agent.Pass, agent.Warn, agent.Pause, agent.Stop}
	return all[slices.IndexFunc(all, func(l agent.Level) bool { return l.String() == v.Level })]
}

// count is what was counted with one setup.
type count struct {
	detectors map[string]bool
	kinds     map[string]bool
	cases     []counted
}

// counted is a case, and the detectors that spoke in it.
type counted struct {
	kind, label string
	spoke       map[string]bool
}

func (n *count) add(c histories.Case, s guards.Setup, tools guards.Tools) (Outcome, error) {
	if n.kinds == nil {
		n.kinds, n.detectors = map[string]bool{}, map[string]bool{}
	}
	one := counted{kind: c.Kind, label: c.Label, spoke: map[string]bool{}}
	var said []guards.Explained
	_, err := guards.ExplainLines(c.Lines, s, tools, func(v guards.Explained) error {
		said = append(said, v)
		if levelOf(v) >= c.Level {
			one.spoke[v.Detector], one.spoke[AnyDetector] = true, true
		}
		return nil
	})
	n.kinds[c.Kind] = true
	maps.Copy(n.detectors, one.spoke)
	n.cases = append(n.cases, one)
	return outcome(c, said), err
}

func (n *count) tally(detector, kind string) Tally {
	var t Tally
	for _, c := range n.cases {
		if kind != AllKinds && kind != c.kind {
			continue
		}
		switch spoke := c.spoke[detector]; {
		case c.label == histories.Loud && spoke:
			t.Right++
		case c.label == histories.Loud:
			t.Missed++
		case c.label == histories.Quiet && spoke:
			t.Wrong++
		case c.label == histories.Quiet:
			t.Silent++
		case spoke:
			t.Unlabelled++
		}
	}
	t.Precision, t.Recall = share(t.Right, t.Wrong), share(t.Right, t.Missed)
	return t
}

// Tally counts the cases in which a detector, or all of them, were right or wrong.
type Tally struct {
	// Right are loud cases that were found, Missed those that were not.
	Right  int `json:"right"`
	Missed int `json:"missed"`
	// Wrong are quiet cases in which it spoke, Silent those in which it did not.
	Wrong  int `json:"wrong"`
	Silent int `json:"silent"`
	// Unlabelled are cases without a label in which it spoke.
	Unlabelled int `json:"unlabelled"`

	// Precision is how many of the labelled cases in which it spoke were loud, and
	// Recall how many of the loud cases it found; nil where there are none.
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
}

func share(part, rest int) *float64 {
	if part+rest == 0 {
		return nil
	}
	return new(float64(part) / float64(part+rest))
}

// spoke reports whether there is anything to say about a detector.
func (t Tally) spoke() bool { return t.Right+t.Wrong+t.Unlabelled > 0 }

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
	spoke := maps.Clone(m.now.detectors)
	maps.Copy(spoke, m.then.detectors)
	delete(spoke, AnyDetector)
	for _, detector := range append([]string{AnyDetector}, slices.Sorted(maps.Keys(spoke))...) {
		for _, kind := range append([]string{AllKinds}, kinds...) {
			row := Row{Detector: detector, Kind: kind, Now: m.now.tally(detector, kind)}
			if m.Then != nil {
				row.Then = new(m.then.tally(detector, kind))
			}
			if detector == AnyDetector || row.Now.spoke() || row.Then != nil && row.Then.spoke() {
				r.Rows = append(r.Rows, row)
			}
		}
	}
	return r
}

// Unlabelled reports whether a case without a label tripped anything.
func (r Report) Unlabelled() bool {
	return slices.ContainsFunc(r.List, func(l Listed) bool { return l.Label == "" })
}
