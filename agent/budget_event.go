package agent

import "time"

// BudgetEvent shows the status of a budget.
type BudgetEvent struct {
	// Level is "" for a plain status update, warning at BudgetWarnAt percent, and reached at 100 percent.
	Level string `json:"level,omitempty"`
	// BudgetID is "" for the budgets of the run and its conversation.
	BudgetID    string    `json:"budgetId,omitempty"`
	SubjectName string    `json:"subjectName,omitempty"`
	ResetsAt    time.Time `json:"resetsAt,omitzero"`

	Scope       string `json:"scope"`
	UsedTokens  int64  `json:"usedTokens"`
	LimitTokens int64  `json:"limitTokens"`
	UsedMicros  int64  `json:"usedMicros"`
	LimitMicros int64  `json:"limitMicros"`
}

// EventType implements EventData.
func (BudgetEvent) EventType() string { return "budget" }

// WarningOf returns the event for a budget whose usage rose from one percentage to
// its present one, and false if neither BudgetWarnAt nor 100 percent was crossed.
func (s BudgetStatus) WarningOf(from int64, subject string) (BudgetEvent, int64, bool) {
	to := s.Percent()
	level, share := "", int64(0)
	switch {
	case from < BudgetReachedAt && to >= BudgetReachedAt:
		level, share = "reached", BudgetReachedAt
	case from < BudgetWarnAt && to >= BudgetWarnAt:
		level, share = "warning", BudgetWarnAt
	}
	return BudgetEvent{
		Level: level, Scope: s.Scope(), BudgetID: s.ID, SubjectName: subject, ResetsAt: StampOrZero(s.EndsAt),
		UsedTokens: s.UsedTokens, LimitTokens: s.TokenLimit(), UsedMicros: s.UsedMicros, LimitMicros: s.MicroLimit(),
	}, share, level != ""
}

// StampOrZero is a time as rows and events keep it: UTC, to the millisecond; zero stays zero.
func StampOrZero(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}
