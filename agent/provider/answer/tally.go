package answer

import (
	"strings"

	"fusebox/agent"
)

// tallyPiece is how much text is counted at once near the limit: shorter
// pieces would be split in the middle of their tokens.
const tallyPiece = 64

// TokensPerCall is what the chat format itself costs around a call.
const TokensPerCall = 8

// tally follows how many tokens a model has made, whatever became of them. A
// text has no more tokens than bytes, so most of it is counted once, in large
// pieces, and nothing at all where the bytes alone are within the limit.
type tally struct {
	measure func(string) int64
	want    int64 // so many were asked for at most, 0 for any number
	limit   int64 // 0 is none
	counted int64
	pending strings.Builder
}

// newTally counts an answer of which maxTokens were asked for; 0 bounds nothing.
func newTally(measure func(string) int64, maxTokens int64) *tally {
	t := &tally{measure: measure, want: maxTokens}
	if maxTokens > 0 {
		t.limit = maxTokens + maxTokens*agent.OverPercent/100 + agent.OverTokens
	}
	return t
}

func (t *tally) write(text string) {
	if t != nil {
		t.pending.WriteString(text)
	}
}

// call adds what a call takes in addition to its name and arguments.
func (t *tally) call() {
	if t != nil {
		t.counted += TokensPerCall
	}
}

// tokens is the count so far.
func (t *tally) tokens() int64 {
	if t == nil {
		return 0
	}
	if t.pending.Len() > 0 {
		t.counted += t.measure(t.pending.String())
		t.pending.Reset()
	}
	return t.counted
}

// asked is how many tokens were asked for at most, 0 for any number.
func (t *tally) asked() int64 {
	if t == nil {
		return 0
	}
	return t.want
}

// limits reports whether so many tokens are more than may be.
func (t *tally) limits(n int64) bool { return t != nil && t.limit > 0 && n > t.limit }

// over reports whether more was made than may be.
func (t *tally) over() bool {
	if t == nil || t.limit == 0 || t.counted+int64(t.pending.Len()) <= t.limit {
		return false
	}
	if t.counted <= t.limit && t.pending.Len() < tallyPiece {
		return false
	}
	return t.limits(t.tokens())
}

// Count counts what the model makes from now on, of which maxTokens were asked for.
func (a *Accumulator) Count(measure func(string) int64, maxTokens int64) {
	a.made = newTally(measure, maxTokens)
}

// overran reports whether an answer continues beyond its limit.
func (a *Accumulator) overran() bool {
	return a.finish == "" && (a.made.over() || a.made.limits(a.told.Output))
}

// cutOff ends an answer that continues beyond its limit, as the model's own limit
// would have.
func (a *Accumulator) cutOff() error {
	a.finish = finishLength
	err := a.end()
	a.ended = false
	return err
}
