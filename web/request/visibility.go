package request

import (
	"context"
	"log/slog"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/present"
)

// TokensOnly reports whether money is hidden from a viewer. Where that cannot
// be known, it is: while the server closes, too.
func (s *Visibility) TokensOnly(v agent.Viewer) bool {
	if v.Role == agent.RoleAdmin {
		return false
	}
	value, err := s.Store.Setting(s.Closing, agent.MoneyHiddenKey)
	if err != nil && s.Closing.Err() == nil {
		s.Logger.Error("reading whether money is hidden failed", "error", err)
	}
	return err != nil || value == "true"
}

// Entries are entries of an inbox as the viewer may see them.
func (s *Visibility) Entries(v agent.Viewer, entries []agent.InboxEntry) []agent.InboxEntry {
	if len(entries) > 0 && s.TokensOnly(v) {
		for i, e := range entries {
			entries[i].Approval, entries[i].CostMicros = present.ApprovalWithoutMoney(e.Approval), 0
		}
	}
	return entries
}

// Visibility knows from whom money is hidden.
type Visibility struct {
	Store   service.SettingReader
	Closing context.Context
	Logger  *slog.Logger
}
