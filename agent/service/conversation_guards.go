package service

import (
	"context"
	"maps"
	"slices"
	"strings"

	"fusebox/agent"
)

// checkGuards checks a conversation's own numbers against what admins allow it,
// and what comes of them against each other. It returns them by their full keys.
func (s *Conversations) checkGuards(ctx context.Context, own map[string]string) (map[string]string, error) {
	full := map[string]string{}
	if len(own) == 0 {
		return full, nil
	}
	config, err := s.Store.GuardConfig(ctx)
	if err != nil {
		return nil, err
	}
	base := config.Effective(s.Guards, nil)
	for _, key := range slices.Sorted(maps.Keys(own)) {
		value := strings.TrimSpace(own[key])
		if err := config.CheckOwn(base, key, value); err != nil {
			return nil, err
		}
		n, _ := agent.FindGuardNumber(key)
		if _, twice := full[n.Key]; twice {
			return nil, agent.InvalidField("guards."+key, "is given twice, with and without the prefix guard.")
		}
		full[n.Key] = value
	}
	if err := config.Effective(s.Guards, full).Check(); err != nil {
		return nil, agent.InvalidField("guards."+ownNumber(own, agent.MessageOf(err)), "%s", agent.MessageOf(err))
	}
	return full, nil
}

// ownNumber is the first of the conversation's numbers that a conflict of two
// numbers names, as it was written.
func ownNumber(own map[string]string, conflict string) string {
	keys := slices.Sorted(maps.Keys(own))
	for _, key := range keys {
		if n, _ := agent.FindGuardNumber(key); strings.Contains(conflict, n.Key+" ") {
			return key
		}
	}
	return keys[0]
}
