package service

import (
	"context"

	"fusebox/agent"
)

func chatRules(ctx context.Context, from SettingReader) (agent.ChatRules, error) {
	text, err := from.Setting(ctx, agent.ChatRulesKey)
	if err != nil {
		return agent.ChatRules{}, err
	}
	return agent.ParseChatRules(text)
}

// Rules are what admins let people set for their own chats.
func (s *Conversations) Rules(ctx context.Context) (agent.ChatRules, error) {
	return chatRules(ctx, s.Store)
}

// SetRules changes them; the caller is an admin. Invalid names the field.
func (s *Conversations) SetRules(ctx context.Context, v agent.Viewer, r agent.ChatRules) error {
	switch {
	case r.MaxRunTokens < 0 || r.MaxRunTokens > maxTokenLimit:
		return agent.InvalidField("maxRunTokens", "is %d; allowed: 0 (no bound) to %d", r.MaxRunTokens, maxTokenLimit)
	case r.MaxRunMicros < 0 || r.MaxRunMicros > maxCostLimit:
		return agent.InvalidField("maxRunCostMicros", "is %d; allowed: 0 (the server's own limit) to %d", r.MaxRunMicros, int64(maxCostLimit))
	}
	return s.Store.SetSetting(ctx, v.Email, agent.ChatRulesKey, r.Text())
}
