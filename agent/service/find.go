package service

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/agent/ranking"
)

const (
	// maxFoundMessages bounds the messages that are listed as found; the newest stay.
	maxFoundMessages = 1000
	// maxFindable bounds what is looked for in a chat, in characters.
	maxFindable = 200
	// around is how much is shown before and behind what was found, in characters.
	around = 60
)

// FoundMessage is a message in which something was found.
type FoundMessage struct {
	MessageID string            `json:"messageId"`
	Role      agent.MessageRole `json:"role"`
	CreatedAt time.Time         `json:"createdAt"`
	// Snippet is the first place where it stands, with some words around it.
	Snippet string `json:"snippet"`
}

// unmarked takes away the marks of emphasis and code, which readers do not see.
var unmarked = strings.NewReplacer("**", "", "*", "", "`", "", "~~", "")

// Find looks for words, as they are written, in the messages of a conversation's active branch. It
// returns those that have them, oldest first, and how many there are.
func (s *Conversations) Find(ctx context.Context, v agent.Viewer, id, words string) ([]FoundMessage, int, error) {
	messages, err := s.Store.Messages(ctx, v, id)
	if err != nil {
		return nil, 0, err
	}
	if words = strings.TrimSpace(words); words == "" {
		return nil, 0, agent.InvalidField("q", "is missing; say what to look for")
	}
	if utf8.RuneCountInString(words) > maxFindable {
		return nil, 0, agent.InvalidField("q", "is too long; at most %d characters are allowed", maxFindable)
	}
	found := []FoundMessage{}
	for i := range messages {
		m := &messages[i]
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if !m.Asks() && m.Role != agent.FromAssistant {
			continue
		}
		text := m.Content
		places := ranking.Places(text, words)
		if len(places) == 0 && strings.ContainsAny(text, "*`~") {
			text = unmarked.Replace(text)
			places = ranking.Places(text, words)
		}
		if len(places) > 0 {
			found = append(found, FoundMessage{m.ID, m.Role, m.CreatedAt, snippet(text, places[0])})
		}
	}
	return found[max(len(found)-maxFoundMessages, 0):], len(found), nil
}

// snippet is a place in a text with some words around it, on one line.
func snippet(text string, place [2]int) string {
	from, to := place[0], place[1]
	for n := 0; n < around && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; n < around && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	line := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}
