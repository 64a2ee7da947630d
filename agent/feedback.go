package agent

import (
	"time"
	"unicode/utf8"
)

// Rating is what the owner of a chat thinks of an answer.
type Rating string

// The ratings of answers.
const (
	RatedUp   Rating = "up"
	RatedDown Rating = "down"
)

// maxReason bounds why an answer is rated as it is, in characters.
const maxReason = 2000

// Feedback is a person's rating of an answer, and why they gave it.
type Feedback struct {
	MessageID string    `json:"messageId"`
	Rating    Rating    `json:"rating"`
	Reason    string    `json:"reason,omitempty"`
	At        time.Time `json:"at"`
}

// Check returns an error with the fields that are not valid.
func (f Feedback) Check() error {
	if f.Rating != RatedUp && f.Rating != RatedDown {
		return InvalidField("rating", "%q is not allowed; allowed: up, down", Clip(string(f.Rating), 40))
	}
	if utf8.RuneCountInString(f.Reason) > maxReason {
		return InvalidField("reason", "is too long; at most %d characters are allowed", maxReason)
	}
	return nil
}

// GivenFeedback is feedback as admins see it: with the run that it is about, whose chat it is of,
// and how the answer begins.
type GivenFeedback struct {
	Feedback
	ConversationID string `json:"conversationId"`
	RunID          string `json:"runId"`
	User           string `json:"user"`
	Model          string `json:"model"`
	Answer         string `json:"answer"`
}
