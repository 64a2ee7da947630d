package agent

import (
	"encoding/json"
	"time"
)

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
