package page

import (
	"context"
	"net/url"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
)

// chatNumbers are the numbers of the breakers that a chat's menu offers, with
// what they are called there. The API takes all of agent.ConversationNumbers.
var chatNumbers = []struct{ key, label string }{
	{"guard.warning", "Equal calls until the model is reminded"},
	{"guard.critical", "Equal calls until a person is asked"},
	{"guard.max_steps", "Model calls of one run"},
	{"guard.max_duration", "Running time of one run"},
}

// numbersOf shows the numbers that a conversation sets, beside what holds
// without it.
func (s *Chat) numbersOf(ctx context.Context, conv agent.Conversation) ([]page.ChatNumber, error) {
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return nil, err
	}
	holds := config.Effective(s.Guards, nil)
	var shown []page.ChatNumber
	for _, c := range chatNumbers {
		n, _ := agent.FindGuardNumber(c.key)
		most := n.Of(holds)
		if o := config.Numbers[c.key]; o.Most != "" {
			most = o.Most
		}
		shown = append(shown, page.ChatNumber{Key: c.key, Label: c.label, Own: conv.Guards[c.key], Holds: n.Of(holds), Most: most})
	}
	return shown, nil
}

// formNumbers are the numbers that a conversation has once its form is stored:
// an empty field takes a number back, one that the form does not offer stays.
func formNumbers(conv agent.Conversation, form url.Values) map[string]string {
	own := map[string]string{}
	for key, value := range conv.Guards {
		own[key] = value
	}
	for _, c := range chatNumbers {
		if !form.Has(c.key) {
			continue
		}
		delete(own, c.key)
		if value := strings.TrimSpace(form.Get(c.key)); value != "" {
			own[c.key] = value
		}
	}
	return own
}
