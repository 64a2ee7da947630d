package answer

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

// limit is how many tokens the answer may have, 0 if unknown.
func (a *Accumulator) limit() int64 {
	if a.most > 0 {
		return a.most
	}
	return a.made.asked()
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
