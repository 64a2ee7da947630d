package service

import (
	"context"
	"maps"
	"slices"
	"strings"

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
	base, keys := config.Effective(s.Guards, nil), slices.Sorted(maps.Keys(own))
	for _, key := range keys {
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
		conflict := agent.MessageOf(err) // it names two numbers; the field is the first of them that is the conversation's
		named := slices.IndexFunc(keys, func(key string) bool {
			n, _ := agent.FindGuardNumber(key)
			return strings.Contains(conflict, n.Key+" ")
		})
		return nil, agent.InvalidField("guards."+keys[max(named, 0)], "%s", conflict)
	}
	return full, nil
}

// CheckOutputMode refuses an output mode that there is none of; the error names the field.
func CheckOutputMode(field string, m agent.OutputMode) error {
	if m.Valid() {
		return nil
	}
	return agent.InvalidField(field, "%q is not allowed; allowed: %s, or empty", agent.Clip(string(m), 40), strings.Join(agent.OutputModes(), ", "))
}

// ToolSet is a set of tools that a conversation may choose.
type ToolSet struct {
	Name   string
	Tools  int // 0 where its source is away
	Chosen bool
}

// ToolSets are the sets that a person may choose for a conversation: those that there are
// beside the core, and those that it has chosen before.
func (s *Conversations) ToolSets(v agent.Viewer, conv agent.Conversation) []ToolSet {
	var sets []ToolSet
	specs := s.Tools.Specs()
	for _, name := range agent.ToolSets(specs, v.Role) {
		if name != agent.CoreTools {
			sets = append(sets, ToolSet{Name: name, Tools: sizeOf(name, specs, v.Role), Chosen: conv.Chooses(name)})
		}
	}
	for _, name := range conv.ToolSets {
		if name != agent.CoreTools && sizeOf(name, specs, v.Role) == 0 {
			sets = append(sets, ToolSet{Name: name, Chosen: true})
		}
	}
	return sets
}

func sizeOf(set string, specs []agent.ToolSpec, role agent.Role) (n int) {
	for _, t := range specs {
		if t.SetName() == set && t.MayBeUsedBy(role) {
			n++
		}
	}
	return n
}
