package answer

import (
	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

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
		return parted(f.Total, guess)
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

// parted splits a total as an estimate would.
func parted(total int64, guess agent.Usage) agent.Usage {
	u := agent.Usage{Tokens: agent.Tokens{InputTokens: total}, Estimated: true}
	if sum := guess.Total(); sum > 0 {
		u.OutputTokens = total * guess.OutputTokens / sum
		u.InputTokens -= u.OutputTokens
		u.ReasoningTokens = min(guess.ReasoningTokens, u.OutputTokens)
	}
	return u
}
