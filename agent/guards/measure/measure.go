package measure

import (
	"slices"

	"fusebox/agent"
	"fusebox/agent/guards"
	"fusebox/agent/guards/histories"
)

const (
	loud  = histories.Loud
	quiet = histories.Quiet
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
	o := Outcome{Verdict: loudest(c.Level, said)}
	spoke := o.Verdict != nil && levelOf(*o.Verdict) >= c.Level
	switch {
	case c.Label == loud && spoke:
		o.Result = Found
	case c.Label == loud:
		o.Result = Missed
	case !spoke:
		o.Result = Silent
	case c.Label == quiet:
		o.Result = False
	default:
		o.Result = Tripped
	}
	return o
}

// loudest is the first verdict of at least that level, or else the first of the
// most severe ones.
func loudest(level agent.Level, said []guards.Explained) *guards.Explained {
	var best *guards.Explained
	for _, v := range said {
		if levelOf(v) >= level {
			return &v
		}
		if best == nil || levelOf(v) > levelOf(*best) {
			best = &v
		}
	}
	return best
}

func levelOf(v guards.Explained) agent.Level {
	all := []agent.Level{agent.Pass, agent.Warn, agent.Pause, agent.Stop}
	return all[slices.IndexFunc(all, func(l agent.Level) bool { return l.String() == v.Level })]
}
