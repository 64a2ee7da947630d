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
)

// SpendQuery asks for the ledger between two instants: From included, To not.
type SpendQuery struct {
	From, To time.Time
	Group    SpendGroup
	Zone     *time.Location // days are days of this zone
	UserID   string         // "" takes everybody
}

// SpendRow is one sum of the ledger. Key is the day (YYYY-MM-DD), the e-mail
// address, the model or the conversation's id; Label is what a page shows.
type SpendRow struct {
	Key          string `json:"key"`
	Label        string `json:"-"`
	Runs         int64  `json:"runs"`
	InputTokens  int64  `json:"inputTokens"`
	CachedTokens int64  `json:"cachedTokens"`
	OutputTokens int64  `json:"outputTokens"`
	CostMicros   int64  `json:"costMicros"`
}

// Page asks for part of a list: at most Limit items after Cursor, newest first.
type Page struct {
	Limit  int
	Cursor string
}
