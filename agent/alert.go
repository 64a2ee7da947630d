package agent

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// AlertKind is what an alert is about; notifications of it have the same name.
type AlertKind string

// The kinds of alerts.
const (
	AlertBudgetWarning AlertKind = "budget.warning"
	AlertBudgetReached AlertKind = "budget.reached"
	AlertSpendSpike    AlertKind = "spend.surge"
	AlertLookAlike     AlertKind = "account.lookalike"
)

// BudgetReachedAt is the share of a limit, in percent, at which it is used up.
const BudgetReachedAt = 100

// Alert tells people about spending. ID is derived from its content, so
// that no one gets the same alert twice.
type Alert struct {
	ID   string    `json:"id"`
	Kind AlertKind `json:"kind"`
	// UserID is the recipient, "" the admins. If RunID or ConversationID is set,
	// it is the owner, whom the store looks up.
	UserID         string    `json:"-"`
	RunID          string    `json:"-"`
	ConversationID string    `json:"-"`
	At             time.Time `json:"at"`
	Message        string    `json:"message"`
	Path           string    `json:"path"`
	// Discreet is the message for people who may not see money, "" where it names none.
	Discreet string `json:"-"`
	// Seen says that the viewer has seen it.
	Seen bool `json:"seen"`
	// AlertFacts are only sent outside; they are not stored.
	AlertFacts `json:"-"`
}

// AlertFacts are the numbers of an alert. Those of a budget are followed by
// those of a spike.
type AlertFacts struct {
	BudgetID    string    `json:"budgetId,omitempty"`
	Scope       string    `json:"scope,omitempty"`
	SubjectName string    `json:"subjectName,omitempty"`
	UsedTokens  int64     `json:"usedTokens,omitempty"`
	LimitTokens int64     `json:"limitTokens,omitempty"`
	UsedMicros  int64     `json:"usedMicros,omitempty"`
	LimitMicros int64     `json:"limitMicros,omitempty"`
	ResetsAt    time.Time `json:"resetsAt,omitzero"`

	Hour         time.Time `json:"hour,omitzero"`
	Micros       int64     `json:"micros,omitempty"`
	MedianMicros int64     `json:"medianMicros,omitempty"`
	Factor       float64   `json:"factor,omitempty"`
}

// NewBudgetAlert tells that a budget is used to a level, BudgetWarnAt or
// BudgetReachedAt. People are told of their own budgets and those of their runs
// and conversations, admins of those that many share.
func NewBudgetAlert(s BudgetStatus, level int64, subjectName string, at time.Time) Alert {
	if s.Who == WhoEverybody {
		subjectName = string(WhoEverybody)
	}
	message, discreet := budgetMessage(s, level, subjectName)
	a := Alert{
		ID:   alertID(s.ID, string(s.Who), string(s.Span), s.Of, strconv.FormatInt(s.StartsAt.UnixMilli(), 10), strconv.FormatInt(level, 10)),
		Kind: AlertBudgetWarning, At: at, Path: "/admin/budgets", Message: message, Discreet: discreet,
		AlertFacts: AlertFacts{
			BudgetID: s.ID, Scope: s.Scope(), SubjectName: subjectName, UsedTokens: s.UsedTokens, LimitTokens: s.TokenLimit(),
			UsedMicros: s.UsedMicros, LimitMicros: s.MicroLimit(), ResetsAt: s.EndsAt,
		},
	}
	if level >= BudgetReachedAt {
		a.Kind = AlertBudgetReached
	}
	switch s.Who {
	case WhoRun:
		a.RunID, a.Path = s.Of, "/runs/"+s.Of
	case WhoConversation:
		a.ConversationID, a.Path = s.Of, "/c/"+s.Of
	case WhoUser:
		a.UserID, a.Path = s.Of, "/settings/usage"
	case WhoGroup, WhoEverybody:
	}
	return a
}

// SpendSpikeAlert tells that more was spent in an hour than is usual. Factor is what
// the instance calls unusual.
func SpendSpikeAlert(hour time.Time, micros, median int64, factor float64, at time.Time) Alert {
	hour = hour.UTC()
	return Alert{
		ID: alertID(string(AlertSpendSpike), strconv.FormatInt(hour.UnixMilli(), 10)), Kind: AlertSpendSpike, At: at, Path: "/admin/spend",
		Message: fmt.Sprintf("%s was spent in the hour from %s, %s times the usual %s.", MoneyText(micros),
			hour.Format("2 Jan 15:04 UTC"), oneDigit(float64(micros)/float64(max(median, 1))), MoneyText(median)),
		AlertFacts: AlertFacts{Hour: hour, Micros: micros, MedianMicros: median, Factor: factor},
	}
}

// LookAlikeAlert tells admins that the address or the name of an account looks like that of
// others, which are named by their addresses.
func LookAlikeAlert(u User, others []string, at time.Time) Alert {
	who := u.Email
	if u.Name != "" {
		who = u.Name + " (" + u.Email + ")"
	}
	return Alert{
		ID: alertID(string(AlertLookAlike), u.ID, u.Email, u.Name), Kind: AlertLookAlike, At: at, Path: "/admin/users?find=" + url.QueryEscape(u.Email),
		Message: fmt.Sprintf("The account %s looks like %s.", who, strings.Join(others, ", ")),
	}
}

// alertID is the same for the same parts.
func alertID(parts ...string) string {
	return hashOf(strings.Join(parts, "\x00"))[:32]
}

// WithoutMoney is the alert for people who may not see money.
func (a Alert) WithoutMoney() Alert {
	a.Message = cmp.Or(a.Discreet, a.Message)
	a.UsedMicros, a.LimitMicros = 0, 0
	return a
}

// MoneyHiddenKey is the setting that shows money to admins only, where it is "true".
const MoneyHiddenKey = "money_hidden"

// Notification is the alert as it is sent by e-mail and webhook.
func (a Alert) Notification(to Audience) Notification {
	return Notification{
		Event: NotifyEvent(a.Kind), ConversationID: a.ConversationID, To: to,
		Payload: MustJSON(NotifyPayload{
			Event: NotifyEvent(a.Kind), At: a.At, Message: a.Message, RunID: a.RunID, ConversationID: a.ConversationID,
			Path: a.Path, AlertFacts: a.AlertFacts,
		}),
	}
}

// budgetMessage says in one or two sentences how much of what is used, and what
// follows; discreet says the same without money, "" where there is none in it.
func budgetMessage(s BudgetStatus, level int64, subjectName string) (message, discreet string) {
	whose := "the budget of " + SubjectWords(s.Who, subjectName) + SpanWords(s.Span)
	used := fmt.Sprintf("%d%% of %s is used", max(s.Percent(), level), whose)
	if level >= BudgetReachedAt {
		used = "T" + whose[1:] + " is used up"
	}
	follows := "." + limitWords(s.Budget, level)
	if percent(s.UsedTokens, s.TokenLimit()) > percent(s.UsedMicros, s.MicroLimit()) {
		return fmt.Sprintf("%s: %s of %s tokens%s", used, TokensText(s.UsedTokens), TokensText(s.TokenLimit()), follows), ""
	}
	return fmt.Sprintf("%s: %s of %s%s", used, MoneyText(s.UsedMicros), MoneyText(s.MicroLimit()), follows), used + follows
}

// SubjectWords names the subject of a budget.
func SubjectWords(who BudgetWho, name string) string {
	switch who {
	case WhoEverybody:
		return "everybody"
	case WhoUser:
		return name
	case WhoGroup:
		return "the group " + name
	case WhoRun, WhoConversation:
	}
	if name == "" {
		return "the " + string(who)
	}
	return fmt.Sprintf("the %s “%s”", who, name)
}

// SpanWords are the words for a window behind a budget's name, "" for a run or for good.
func SpanWords(span BudgetSpan) string {
	switch span {
	case SpanDay:
		return " for today"
	case SpanWeek:
		return " for this week"
	case SpanMonth:
		return " for this month"
	default:
		return ""
	}
}

// limitWords say what a budget does at a level, "" for nothing that is new.
func limitWords(b Budget, level int64) string {
	switch {
	case b.Soft && level >= BudgetReachedAt:
		return " Nothing is blocked."
	case b.Soft:
		return ""
	case b.AtLimit == LimitCheaper && level < BudgetReachedAt:
		return " " + b.Model + " answers from now on."
	case b.AtLimit == LimitStop && level >= BudgetReachedAt:
		return " Runs that need more are stopped."
	case b.Shared() && level >= BudgetReachedAt:
		return " Runs that need more wait for a decision."
	default:
		return ""
	}
}
