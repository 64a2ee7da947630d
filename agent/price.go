package agent

import (
	"math/big"
	"time"
)

// Price is what a model costs, in micro-USD per million tokens.
type Price struct {
	Input     int64 `json:"input"`
	Cached    int64 `json:"cached"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning,omitempty"` // 0 prices reasoning as output
}

// PriceRow is a price from a day on. A removed price is a row with
// Known false: from that day it is unknown.
type PriceRow struct {
	// Provider is the endpoint's name, "" for whichever serves the model.
	Provider  string    `json:"provider,omitempty"`
	Model     string    `json:"model"`
	ValidFrom time.Time `json:"validFrom"`
	Known     bool      `json:"known"`
	Price
	// Source says where the price was read.
	Source    string    `json:"source"`
	CreatedBy string    `json:"createdBy,omitempty"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
}

// perPrice is how many tokens a price is for.
const perPrice = 1_000_000

// Cost is the price of u in micro-USD, rounded half up once per call of Cost
// (so once per step). Cached input replaces the input price for its share, and
// reasoning the output price for its.
func (p Price) Cost(u Usage) int64 {
	reasoning := p.Reasoning
	if reasoning == 0 {
		reasoning = p.Output
	}
	sum := new(big.Int)
	for _, part := range [][2]int64{
		{u.InputTokens - u.CachedTokens, p.Input}, {u.CachedTokens, p.Cached},
		{u.OutputTokens - u.ReasoningTokens, p.Output}, {u.ReasoningTokens, reasoning},
	} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	sum.Add(sum, big.NewInt(perPrice/2))
	return sum.Div(sum, big.NewInt(perPrice)).Int64()
}

// worst is the most that a call may cost: nothing of its input cached, all of
// its output at the higher of the two rates.
func (p Price) worst(prompt, output int64) int64 {
	p.Output = max(p.Output, p.Reasoning)
	p.Input = max(p.Input, p.Cached)
	p.Reasoning = 0
	return p.Cost(Usage{Tokens: Tokens{InputTokens: prompt, OutputTokens: output}})
}
