package agent

import (
	"cmp"
	"encoding/json"
)

// ChatRulesKey is the setting that holds the ChatRules.
const ChatRulesKey = "chat_rules"

// ChatRules are what admins let people set for their own chats. The zero value lets them
// set everything.
type ChatRules struct {
	// NoInstructions leaves a chat's own instructions out.
	NoInstructions bool `json:"noInstructions,omitempty"`
	// MaxRunTokens and MaxRunMicros are how far up a chat may set the limits of its runs.
	// 0 does not bound tokens, and binds money to the server's own limit.
	MaxRunTokens int64 `json:"maxRunTokens,omitempty"`
	MaxRunMicros int64 `json:"maxRunCostMicros,omitempty"`
}

// ParseChatRules reads what Text writes.
func ParseChatRules(text string) (r ChatRules, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &r)
	}
	return r, err
}

// Text is the rules as a setting, "" where they allow everything.
func (r ChatRules) Text() string {
	if r == (ChatRules{}) {
		return ""
	}
	return string(MustJSON(r))
}

// Check refuses what the rules do not allow a chat; each error names the field.
func (r ChatRules) Check(in ConversationPatch) error {
	switch {
	case r.NoInstructions && in.System != nil && *in.System != "":
		return InvalidField("system", "is not allowed; an admin has switched instructions of chats off")
	case r.MaxRunTokens > 0 && in.RunTokenLimit != nil && *in.RunTokenLimit > r.MaxRunTokens:
		return InvalidField("runTokenLimit", "is %d; an admin allows at most %d", *in.RunTokenLimit, r.MaxRunTokens)
	case r.MaxRunMicros > 0 && in.RunCostLimit != nil && *in.RunCostLimit > r.MaxRunMicros:
		return InvalidField("runCostLimitMicros", "is %d; an admin allows at most %d", *in.RunCostLimit, r.MaxRunMicros)
	}
	return nil
}

// Limits are the limits of a run of a conversation, where l are the server's.
func (r ChatRules) Limits(c Conversation, l Limits) Limits {
	if c.RunTokenLimit > 0 {
		l.Tokens = atMost(c.RunTokenLimit, r.MaxRunTokens)
	}
	if c.RunCostLimit > 0 {
		l.CostMicros = atMost(c.RunCostLimit, cmp.Or(r.MaxRunMicros, l.CostMicros))
	}
	return l
}

// atMost caps n at a bound; a bound of 0 means unlimited.
func atMost(n, bound int64) int64 {
	if bound > 0 {
		return min(n, bound)
	}
	return n
}
