package agent

import "time"

// SpendGroup is what spend rows are summed by.
type SpendGroup string

// The groups of spend rows.
const (
	SpendByDay          SpendGroup = "day"
	SpendByUser         SpendGroup = "user"
	SpendByModel        SpendGroup = "model"
	SpendByConversation SpendGroup = "conversation"
	SpendByTool         SpendGroup = "tool"
)

// SpendGroups are all of them.
var SpendGroups = []SpendGroup{SpendByDay, SpendByUser, SpendByModel, SpendByConversation, SpendByTool}

// SpendQuery asks for the ledger between two instants: From included, To not.
type SpendQuery struct {
	From, To time.Time
	Group    SpendGroup
	Zone     *time.Location // days are days of this zone
	UserID   string         // "" takes everyone
	// Span is how wide the columns of a chart are: SpanDay, SpanWeek or SpanMonth.
	Span BudgetSpan
	// Limit keeps the first so many sums of users, models, conversations or
	// tools, 0 all; the first are those that cost most, or took most tokens.
	Limit    int
	ByTokens bool
}

// SpendRow is one sum of the ledger. Key is the day (YYYY-MM-DD), the e-mail
// address, the model, the conversation's id or the tool, "" for answers that
// called none; Label is what a page shows. Runs are those that began with a line
// of the sum: each run is counted once in a group, but for those of models and
// tools, where it is counted once for each that it used.
type SpendRow struct {
	Key   string `json:"key"`
	Label string `json:"-"`
	Runs  int64  `json:"runs"`
	Tokens
	CostMicros int64 `json:"costMicros"`
	// Lines are model calls; Unpriced those without a known price, Estimated
	// those whose tokens the provider did not report.
	Lines     int64 `json:"lines"`
	Unpriced  int64 `json:"unpriced"`
	Estimated int64 `json:"estimated"`
}

// Add adds the amounts of another row.
func (r *SpendRow) Add(o SpendRow) {
	r.Runs += o.Runs
	r.Tokens = r.Tokens.Add(o.Tokens)
	r.CostMicros += o.CostMicros
	r.Lines += o.Lines
	r.Unpriced += o.Unpriced
	r.Estimated += o.Estimated
}

// HourSpend is what was spent in one hour.
type HourSpend struct {
	Hour   time.Time
	Micros int64
}

// SpendSum is an amount of tokens and money.
type SpendSum struct {
	Tokens
	CostMicros int64
}

// Add returns the sum of both.
func (s SpendSum) Add(o SpendSum) SpendSum {
	return SpendSum{s.Tokens.Add(o.Tokens), s.CostMicros + o.CostMicros}
}

func (s SpendSum) each(f func(int64) int64) SpendSum {
	return SpendSum{s.Tokens.each(f), f(s.CostMicros)}
}
