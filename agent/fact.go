package agent

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of a person's memory.
const (
	// MaxFact is the length of one fact in characters.
	MaxFact = 1000
	// MaxFacts is how many facts one person has.
	MaxFacts = 500
)

// Fact is one thing that is remembered of a person, for runs that work for them.
type Fact struct {
	ID     string `json:"id"`
	UserID string `json:"-"`
	Text   string `json:"text"`
	// ConversationID is where a run remembered it, "" where the person wrote it or the
	// conversation was deleted.
	ConversationID string    `json:"conversationId,omitempty"`
	CreatedAt      time.Time `json:"createdAt"`
	// ChangedAt is when the person last changed the text, zero for never.
	ChangedAt time.Time `json:"changedAt,omitzero"`
}

// FactText reads the text of a fact. Its error has the field's name.
func FactText(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", InvalidField(field, "is missing; write one fact")
	case !utf8.ValidString(text):
		return "", InvalidField(field, "is not valid UTF-8 text")
	case utf8.RuneCountInString(text) > MaxFact:
		return "", InvalidField(field, "is too long; at most %d characters are allowed", MaxFact)
	}
	return text, nil
}

// Same is equal for texts that say the same in other letters and spaces.
func (f Fact) Same() string {
	return hashOf(strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(f.Text)), " "), ".!。！"))
}
