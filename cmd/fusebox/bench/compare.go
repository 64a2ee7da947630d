package bench

// Comparison is a result beside an earlier one.
type Comparison struct {
	Result
	Earlier Machine `json:"earlierMachine"`
	Ratios  []Ratio `json:"ratios"`
}

// Ratio compares a line with the earlier one of the same ID.
type Ratio struct {
	ID      string  `json:"id"`
	Earlier float64 `json:"earlier"`
	// Ratio is the value divided by the earlier one.
	Ratio float64 `json:"ratio"`
	// Verdict is better, worse, or same where the difference is below the noise.
	Verdict string `json:"verdict"`
}

// noise is a difference that says nothing.
const noise = 0.05

// Compare puts a result beside an earlier one. Lines that one of them lacks have
// no ratio.
func Compare(now, earlier Result) Comparison {
	c := Comparison{Result: now, Earlier: earlier.Machine, Ratios: []Ratio{}}
	for _, l := range now.Lines {
		if old, ok := earlier.Line(l.ID); ok && old.Value > 0 {
			ratio := l.Value / old.Value
			c.Ratios = append(c.Ratios, Ratio{ID: l.ID, Earlier: old.Value, Ratio: ratio, Verdict: verdict(ratio, l.More)})
		}
	}
	return c
}

func verdict(ratio float64, more bool) string {
	switch {
	case ratio > 1-noise && ratio < 1+noise:
		return "same"
	case (ratio > 1) == more:
		return "better"
	default:
		return "worse"
	}
}
