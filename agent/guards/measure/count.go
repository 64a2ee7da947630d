package measure

import (
	"maps"

	"fusebox/agent/guards"
	"fusebox/agent/guards/histories"
)

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

// tally counts the cases of a kind for a detector.
func (n *count) tally(detector, kind string) Tally {
	var t Tally
	for _, c := range n.cases {
		if kind == AllKinds || kind == c.kind {
			t.add(c.label, c.spoke[detector])
		}
	}
	t.finish()
	return t
}
