package agent

import (
	"encoding/json"
	"strings"
	"time"
)

// NotifyEvent is what a notification is about.
type NotifyEvent string

// The events of notifications.
const (
	NotifyRequested     NotifyEvent = "approval.requested"
	NotifyReminder      NotifyEvent = "approval.reminder"
	NotifyEscalated     NotifyEvent = "approval.escalated"
	NotifyExpired       NotifyEvent = "approval.expired"
	NotifyDecided       NotifyEvent = "approval.decided"
	NotifyBudgetWarning NotifyEvent = NotifyEvent(AlertBudgetWarning)
	NotifyBudgetReached NotifyEvent = NotifyEvent(AlertBudgetReached)
	NotifySpendSpike    NotifyEvent = NotifyEvent(AlertSpendSpike)
	NotifyLookAlike     NotifyEvent = NotifyEvent(AlertLookAlike)
	// NotifyTest is what an admin sends to see whether a channel works.
	NotifyTest NotifyEvent = "test"
)

// Audience is the recipient of an e-mail: a group, or one address.
type Audience string

// The groups. Members who turned e-mails off get none.
const (
	ToNobody    Audience = ""
	ToReviewers Audience = "reviewers" // reviewers and admins
	ToAdmins    Audience = "admins"
	ToOwner     Audience = "owner" // of the conversation
)

// Notification is a message about an approval or spending. The store turns it into
// one delivery for each receiver, in the transaction of what it is about.
type Notification struct {
	Event          NotifyEvent
	ApprovalID     string
	ConversationID string
	To             Audience
	// Payload is what a webhook gets.
	Payload json.RawMessage
}

// NotifyPayload is the payload of a notification. It names what waits and leads to its
// page; arguments and texts of the conversation stay inside.
type NotifyPayload struct {
	Event             NotifyEvent  `json:"event"`
	At                time.Time    `json:"at"`
	ApprovalID        string       `json:"approvalId,omitempty"`
	Kind              ApprovalKind `json:"kind,omitempty"`
	Risk              Risk         `json:"risk,omitempty"`
	ToolName          string       `json:"toolName,omitempty"`
	Message           string       `json:"message"`
	RunID             string       `json:"runId,omitempty"`
	ConversationID    string       `json:"conversationId,omitempty"`
	ConversationTitle string       `json:"conversationTitle,omitempty"`
	Owner             string       `json:"owner,omitempty"`
	Path              string       `json:"path"`
	ExpiresAt         time.Time    `json:"expiresAt,omitzero"`
	Decision          Verb         `json:"decision,omitempty"`
	DecidedBy         string       `json:"decidedBy,omitempty"`
	AlertFacts
}

// NewNotification makes the notification of an event of an approval.
func NewNotification(event NotifyEvent, a Approval, to Audience, at time.Time) Notification {
	a = inOurWords(a)
	return Notification{
		Event: event, ApprovalID: a.ID, ConversationID: a.ConversationID, To: to,
		Payload: MustJSON(NotifyPayload{
			Event: event, At: at, ApprovalID: a.ID, Kind: a.Kind, Risk: a.Risk, ToolName: a.ToolName, Message: a.Message,
			RunID: a.RunID, ConversationID: a.ConversationID, ConversationTitle: a.ConversationTitle, Owner: a.OwnerEmail,
			Path: "/approvals/" + a.ID, ExpiresAt: a.ExpiresAt, Decision: a.Decision, DecidedBy: a.DecidedBy,
		}),
	}
}

// JudgedBy begins what the risk model says of a call.
const JudgedBy = "The risk model says: "

// inOurWords is an approval without what a model has said in its own words: where messages arrive,
// addresses are often opened unasked, and an address can carry data out.
func inOurWords(a Approval) Approval {
	invented := strings.ContainsAny(a.ToolName, "./:@ ") // no tool has such a name
	if invented {
		a.ToolName = ""
	}
	switch {
	case a.Kind == KindQuestion:
		a.Message = "The agent has a question."
	case a.Kind == KindLoop && (invented || strings.Contains(a.Message, `"`)): // it names that, or quotes an answer
		a.Message = "Stopped: stuck in a loop."
	case strings.HasPrefix(a.Message, JudgedBy):
		a.Message = "The risk model sees a risk."
	}
	return a
}

// WithoutMoney is the notification for people who may not see money.
func (n Notification) WithoutMoney() Notification {
	var p NotifyPayload
	if json.Unmarshal(n.Payload, &p) != nil || p.Kind != KindBudget && p.BudgetID == "" {
		return n
	}
	p.Message, p.UsedMicros, p.LimitMicros = WithoutAmounts(p.Message), 0, 0
	n.Payload = MustJSON(p)
	return n
}

// TestPayload is the payload of a test.
func TestPayload(by string, at time.Time) json.RawMessage {
	return MustJSON(NotifyPayload{
		Event: NotifyTest, At: at, Owner: by, Path: "/admin/notifications",
		Message: "This is a test. Notifications arrive through this channel.",
	})
}

// ApprovalNotifications tells everyone who may decide an approval: a question is its owner's to
// answer, what is of high risk the reviewers' to decide, all else may be both's.
func ApprovalNotifications(event NotifyEvent, a Approval, at time.Time) []Notification {
	asked := []Audience{ToReviewers}
	switch {
	case a.Kind == KindQuestion:
		asked = []Audience{ToOwner}
	case a.Risk.AtMost(RiskMedium):
		asked = []Audience{ToOwner, ToReviewers}
	}
	var all []Notification
	for _, to := range asked {
		all = append(all, NewNotification(event, a, to, at))
	}
	return all
}

// Channel is a way to notify people outside the app.
type Channel string

// The channels.
const (
	ChannelWebhook Channel = "webhook"
	ChannelEmail   Channel = "email"
)

// DeliveryState is how far a delivery has come.
type DeliveryState string

// The states of a delivery. Sent and dead are final.
const (
	DeliveryPending DeliveryState = "pending"
	DeliverySent    DeliveryState = "sent"
	DeliveryDead    DeliveryState = "dead"
)

// Delivery is one notification on its way to one receiver. It arrives at least
// once; ID is its idempotency key.
type Delivery struct {
	ID             string      `json:"id"`
	Event          NotifyEvent `json:"event"`
	ApprovalID     string      `json:"approvalId,omitempty"`
	ConversationID string      `json:"conversationId,omitempty"`
	Channel        Channel     `json:"channel"`
	// Receiver is an e-mail address, "" for the webhook.
	Receiver string `json:"receiver,omitempty"`
	// Language is the tag of the receiver's language, "" where they have set none.
	Language string `json:"-"`
	// Payload is a NotifyPayload.
	Payload json.RawMessage `json:"-"`
	State   DeliveryState   `json:"state"`
	// Attempts counts the tries, the one that is under way included.
	Attempts int `json:"attempts"`
	// NextAt is when it is tried next, of use while it is pending.
	NextAt time.Time `json:"nextAt,omitzero"`
	// Problem says why the last try failed.
	Problem   string    `json:"problem,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	SentAt    time.Time `json:"sentAt,omitzero"`
}

// DeliveryFilter narrows a list of deliveries; "" is all.
type DeliveryFilter struct {
	State   DeliveryState
	Channel Channel
}
