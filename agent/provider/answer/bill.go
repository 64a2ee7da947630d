package answer

import (
	"strings"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// Bill is what a model call took so far: void answers are paid for too.
type Bill struct {
	Spent agent.Spent
	Tries int // that are in it
}

// Total is the bill with this try, which adds nothing where nothing of an
// answer came, or where it is in the bill already. What was not reported is estimated.
func (a *Accumulator) Total(model string, estimate func() agent.Usage) Bill {
	try := agent.ModelUsage{Model: model, NamedMicros: a.told.Cost}
	if a.began && !a.billed {
		try.Usage = CompleteUsage(a.told, a.ended, estimate)
	}
	return Bill{Spent: a.Bill.Spent.With(try), Tries: a.Bill.Tries + 1}
}

// Pay adds this try to the bill.
func (a *Accumulator) Pay(model string, estimate func() agent.Usage) {
	a.Bill = a.Total(model, estimate)
	a.billed = true
}

// CompleteUsage is the usage that an endpoint reported. What was not reported is estimated; so is
// the output of an answer that broke off, where more of it arrived than was
// counted by then.
func CompleteUsage(f wire.Figures, ended bool, estimate func() agent.Usage) agent.Usage {
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: f.Input, CachedTokens: f.Cached, OutputTokens: f.Output, ReasoningTokens: f.Reasoning}}
	if ended && f.Input > 0 && f.Output > 0 {
		return u
	}
	guess := estimate()
	switch {
	case f.Input == 0 && f.Output == 0 && f.Total > 0:
		// A total is split as the estimate would be.
		u = agent.Usage{Tokens: agent.Tokens{InputTokens: f.Total}, Estimated: true}
		if sum := guess.Total(); sum > 0 {
			u.OutputTokens = f.Total * guess.OutputTokens / sum
			u.InputTokens -= u.OutputTokens
			u.ReasoningTokens = min(guess.ReasoningTokens, u.OutputTokens)
		}
		return u
	case f.Input == 0:
		u.InputTokens, u.Estimated = guess.InputTokens, true
		u.CachedTokens = min(f.Cached, u.InputTokens)
	}
	if guess.OutputTokens > u.OutputTokens && (f.Output == 0 || !ended) {
		u.OutputTokens, u.Estimated = guess.OutputTokens, true
		u.ReasoningTokens = max(u.ReasoningTokens, guess.ReasoningTokens)
	}
	return u
}

// tallyPiece is how much text is counted at once near the limit: shorter
// pieces would be split in the middle of their tokens.
const tallyPiece = 64

// TokensPerCall is the cost of the chat format around a call.
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

func (t *tally) write(text string) {
	if t != nil {
		t.pending.WriteString(text)
	}
}

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

func (t *tally) limits(n int64) bool { return t != nil && t.limit > 0 && n > t.limit }

func (t *tally) over() bool {
	if t == nil || t.limit == 0 || t.counted+int64(t.pending.Len()) <= t.limit {
		return false
	}
	if t.counted <= t.limit && t.pending.Len() < tallyPiece {
		return false
	}
	return t.limits(t.tokens())
}

// Count counts what the model makes from now on, of which maxTokens were asked for; 0
// bounds nothing.
func (a *Accumulator) Count(measure func(string) int64, maxTokens int64) {
	a.made = &tally{measure: measure, want: maxTokens}
	if maxTokens > 0 {
		a.made.limit = maxTokens + maxTokens*agent.OverPercent/100 + agent.OverTokens
	}
}

// nearLimit is which part of an output limit may be missing at an answer that ended
// there: counts differ, and some servers stop a little early.
const nearLimit = 10

// EndsAt says after how many tokens an answer ends at the latest, where that is known
// to be less than what was asked for.
func (a *Accumulator) EndsAt(tokens int64) { a.most = tokens }

// atLimit reports whether the answer is as long as it may be. What was counted of it here
// speaks where the endpoint counts less, or nothing.
func (a *Accumulator) atLimit() bool {
	limit := a.limit()
	return limit > 0 && max(a.told.Output, a.made.tokens()) >= limit-limit/nearLimit
}

// limit bounds the tokens of the answer, 0 if unknown.
func (a *Accumulator) limit() int64 {
	if a.most > 0 || a.made == nil {
		return a.most
	}
	return a.made.want
}

// minCut is the least length at which an answer may be taken to have met a limit that
// nobody has named.
const minCut = 256

// CutAt is how long an answer is by the endpoint's count that was cut for its length, 0
// where nothing is known of that.
func (a *Accumulator) CutAt() int64 {
	if a.finish != finishLength || a.told.Output < minCut {
		return 0
	}
	return a.told.Output
}
