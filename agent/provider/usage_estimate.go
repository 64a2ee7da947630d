package provider

import "fusebox/agent"

// completeUsage is the usage of what an endpoint told. What was not told is estimated; so is
// the output of an answer that broke off, where more of it arrived than was
// counted by then.
func completeUsage(f figures, ended bool, estimate func() agent.Usage) agent.Usage {
	u := agent.Usage{InputTokens: f.input, CachedTokens: f.cached, OutputTokens: f.output, ReasoningTokens: f.reasoning}
	if ended && f.input > 0 && f.output > 0 {
		return u
	}
	guess := estimate()
	switch {
	case f.input == 0 && f.output == 0 && f.total > 0:
		return parted(f.total, guess)
	case f.input == 0:
		u.InputTokens, u.Estimated = guess.InputTokens, true
		u.CachedTokens = min(f.cached, u.InputTokens)
	}
	if guess.OutputTokens > u.OutputTokens && (f.output == 0 || !ended) {
		u.OutputTokens, u.Estimated = guess.OutputTokens, true
		u.ReasoningTokens = max(u.ReasoningTokens, guess.ReasoningTokens)
	}
	return u
}

// parted parts a total as an estimate would.
func parted(total int64, guess agent.Usage) agent.Usage {
	u := agent.Usage{InputTokens: total, Estimated: true}
	if sum := guess.Total(); sum > 0 {
		u.OutputTokens = total * guess.OutputTokens / sum
		u.InputTokens -= u.OutputTokens
		u.ReasoningTokens = min(guess.ReasoningTokens, u.OutputTokens)
	}
	return u
}
