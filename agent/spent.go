package agent

import "slices"

// ModelUsage is what a model took.
type ModelUsage struct {
	Model string
	Usage Usage
}

// Spent is what the tries of one call took, by model, in the order in which the
// models were asked: the last one is that of the answer.
type Spent []ModelUsage

// With returns what was spent with one more try.
func (s Spent) With(model string, u Usage) Spent {
	if u == (Usage{}) {
		return s
	}
	s = slices.Clone(s)
	if i := slices.IndexFunc(s, func(m ModelUsage) bool { return m.Model == model }); i >= 0 {
		s[i].Usage = s[i].Usage.Add(u)
		return s
	}
	return append(s, ModelUsage{model, u})
}

// Total is the sum over all models.
func (s Spent) Total() (sum Usage) {
	for _, m := range s {
		sum = sum.Add(m.Usage)
	}
	return sum
}
