package agent

import (
	"fmt"
	"slices"
	"time"
)

// BudgetWho is the kind of subject whose spending a budget limits.
type BudgetWho string

// The subjects of budgets. With an empty subject the first three apply to
// each run, conversation and user separately.
const (
	WhoRun          BudgetWho = "run"
	WhoConversation BudgetWho = "conversation"
	WhoUser         BudgetWho = "user"
	WhoGroup        BudgetWho = "group"
	WhoEverybody    BudgetWho = "everybody"
)

// BudgetWhos are all of them.
var BudgetWhos = []BudgetWho{WhoRun, WhoConversation, WhoUser, WhoGroup, WhoEverybody}

// BudgetSpan is the window in which a budget counts.
type BudgetSpan string

// The windows. Days, weeks (from Monday) and months are those of the instance's time zone.
const (
	SpanRun   BudgetSpan = "run"
	SpanDay   BudgetSpan = "day"
	SpanWeek  BudgetSpan = "week"
	SpanMonth BudgetSpan = "month"
	// SpanTotal has no end; it is that of the configuration's budget of a conversation.
	SpanTotal BudgetSpan = "total"
)

// BudgetSpans are those that an admin can choose.
var BudgetSpans = []BudgetSpan{SpanRun, SpanDay, SpanWeek, SpanMonth}

// AtLimit is what happens to a run whose next call does not fit.
type AtLimit string

// The ways to treat it.
const (
	LimitPause AtLimit = "pause" // a person is asked
	LimitStop  AtLimit = "stop"
	// LimitCheaper has a cheaper model answer from BudgetWarnAt percent on; what
	// does not fit even so asks a person.
	LimitCheaper AtLimit = "cheaper"
)

// MaxBudgets bounds what every call is checked against.
const MaxBudgets = 200

// maxLimit bounds limits, so that sums of them stay numbers.
const maxLimit = 1_000_000_000_000_000

// BudgetWarnAt is the share of a limit, in percent, at which people are warned.
const BudgetWarnAt = 80

// Budget is a limit in tokens, money or both.
type Budget struct {
	ID  string    `json:"id"`
	Who BudgetWho `json:"who"`
	// Subject is the user's id or the group's name; "" means each one separately.
	Subject string     `json:"subject,omitempty"`
	Span    BudgetSpan `json:"window"`
	// The limits; 0 is none.
	LimitTokens int64 `json:"limitTokens"`
	LimitMicros int64 `json:"limitMicros"`
	// Soft budgets warn and block nothing.
	Soft    bool    `json:"soft"`
	AtLimit AtLimit `json:"atLimit"`
	// Model is the cheaper one of LimitCheaper.
	Model     string    `json:"model,omitempty"`
	CreatedBy string    `json:"createdBy"`
	CreatedAt time.Time `json:"createdAt"`
}

// Shared reports whether an admin set the budget, unlike those of a run and a
// conversation that come with the run itself.
func (b Budget) Shared() bool { return b.ID != "" }

// EachByItself reports whether the budget counts for several by themselves.
func (b Budget) EachByItself() bool {
	return b.Who == WhoRun || b.Who == WhoConversation || b.Who == WhoUser && b.Subject == ""
}

// Terms are what can be changed of a budget, in one text: two are the same where
// no one has changed it.
func (b Budget) Terms() string {
	return fmt.Sprintf("%d %d %t %s %s", b.LimitTokens, b.LimitMicros, b.Soft, b.AtLimit, b.Model)
}

// Check validates a budget; each error names its field.
func (b Budget) Check() error {
	switch {
	case !slices.Contains(BudgetWhos, b.Who):
		return InvalidField("who", "%q is not known; allowed: run, conversation, user, group, everybody", b.Who)
	case !slices.Contains(BudgetSpans, b.Span):
		return InvalidField("window", "%q is not known; allowed: run, day, week, month", b.Span)
	case b.Span == SpanRun && b.Who != WhoRun, b.Span != SpanRun && b.Who == WhoRun:
		return InvalidField("window", "a budget of each run has the window run, and only that one")
	case b.Who == WhoGroup && b.Subject == "":
		return InvalidField("subject", "is empty; name the group")
	case b.Subject != "" && b.Who != WhoUser && b.Who != WhoGroup:
		return InvalidField("subject", "is for budgets of a user or a group; leave it empty")
	case b.LimitTokens < 0 || b.LimitTokens > maxLimit:
		return InvalidField("limitTokens", "is %d; allowed: 0 (none) to %d", b.LimitTokens, int64(maxLimit))
	case b.LimitMicros < 0 || b.LimitMicros > maxLimit:
		return InvalidField("limitMicros", "is %d; allowed: 0 (none) to %d", b.LimitMicros, int64(maxLimit))
	case b.LimitTokens == 0 && b.LimitMicros == 0:
		return InvalidField("limitTokens", "is missing; a budget needs a limit in tokens, in money or both")
	case b.Soft:
		return nil
	case !slices.Contains([]AtLimit{LimitPause, LimitStop, LimitCheaper}, b.AtLimit):
		return InvalidField("atLimit", "%q is not known; allowed: pause, stop, cheaper", b.AtLimit)
	case b.AtLimit == LimitCheaper && b.Model == "":
		return InvalidField("model", "is empty; name the cheaper model")
	}
	return nil
}

// Window is the time in which a budget counts at an instant: from start, up to
// end without it. Windows that do not come back are zero.
func (s BudgetSpan) Window(at time.Time, zone *time.Location) (start, end time.Time) {
	y, m, d := at.In(zone).Date()
	switch s {
	case SpanDay:
		return StartOfDay(y, m, d, zone), StartOfDay(y, m, d+1, zone)
	case SpanWeek:
		d -= (int(at.In(zone).Weekday()) + 6) % 7
		return StartOfDay(y, m, d, zone), StartOfDay(y, m, d+7, zone)
	case SpanMonth:
		return StartOfDay(y, m, 1, zone), StartOfDay(y, m+1, 1, zone)
	default:
		return time.Time{}, time.Time{}
	}
}

// StartOfDay is the first instant of a day. Where clocks are put forward at
// midnight there is no 00:00, and time.Date returns the evening before:
// the day begins with the change.
func StartOfDay(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if t.Day() != time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Day() {
		_, t = t.ZoneBounds()
	}
	return t
}

// OwnBudgets are those that come with a run: its limits of tokens and money, and
// the tokens of its conversation. A run has one call under way at a time, so that
// nothing else limits what they leave.
func OwnBudgets(r Run, conversationTokens int64) []BudgetStatus {
	var all []BudgetStatus
	if r.Limits.Tokens > 0 || r.Limits.CostMicros > 0 {
		all = append(all, BudgetStatus{
			Budget: Budget{Who: WhoRun, Span: SpanRun, LimitTokens: r.Limits.Tokens, LimitMicros: r.Limits.CostMicros, AtLimit: LimitPause},
			Of:     r.ID, UsedTokens: r.Usage.Total(), UsedMicros: r.CostMicros,
		})
	}
	if r.Limits.ConversationTokens > 0 {
		all = append(all, BudgetStatus{
			Budget: Budget{Who: WhoConversation, Span: SpanTotal, LimitTokens: r.Limits.ConversationTokens, AtLimit: LimitPause},
			Of:     r.ConversationID, UsedTokens: conversationTokens,
		})
	}
	return all
}

// MayRaise reports whether the viewer may lift the budget that an approval is about.
// That of a run or a conversation is the reviewers' as all of high risk; one that
// an admin has set for users, groups or everyone is for admins only.
func MayRaise(v Viewer, a Approval) bool {
	return v.Role == RoleAdmin || a.BudgetID == "" && v.Role.Reviews()
}

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
