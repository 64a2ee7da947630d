package loop

import "sync"

// How far a provider's count of a prompt may be from ours before we know better:
// a tenth, and a fixed part for what the endpoint adds. Ratios are learned from
// prompts of some length only, and bounded; so is the number of models.
const (
	driftPercent = 10
	driftTokens  = 64
	driftFrom    = 500
	driftMost    = 300
	driftModels  = 200
)

// drift learns by how much providers count prompts higher than we do. What a
// call reserves has to be the most that a call can take: an estimate that is
// only about right would let budgets be passed by what it misses.
type drift struct {
	mu     sync.Mutex
	models map[string]learnedDrift
}

// learnedDrift is the most that was seen: in percent beyond the estimate for
// long prompts, and in tokens for short ones.
type learnedDrift struct{ percent, tokens int64 }

// atMost is the most that a prompt of an estimated length may count.
func (d *drift) atMost(model string, estimate int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.models[model]
	return estimate + estimate*max(l.percent, driftPercent)/100 + max(l.tokens, driftTokens)
}

// learn takes in what a provider has counted.
func (d *drift) learn(model string, estimate, counted int64) {
	beyond := counted - estimate
	if beyond <= 0 || estimate <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l, known := d.models[model]
	if !known && len(d.models) >= driftModels {
		return
	}
	if estimate < driftFrom {
		l.tokens = max(l.tokens, beyond)
	} else {
		l.percent = max(l.percent, min(beyond*100/estimate+1, driftMost))
	}
	if d.models == nil {
		d.models = map[string]learnedDrift{}
	}
	d.models[model] = l
}
