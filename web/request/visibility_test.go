package request

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"fusebox/agent"
)

type brokenSettings struct{}

func (brokenSettings) Setting(ctx context.Context, _ string) (string, error) {
	return "", errors.Join(ctx.Err(), errors.New("no settings"))
}

// TestMoneyIsHiddenWhereNobodyKnows: while the server closes, that is no fault of it.
func TestMoneyIsHiddenWhereNobodyKnows(t *testing.T) {
	t.Parallel()
	for _, closing := range []bool{false, true} {
		var log bytes.Buffer
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		if closing {
			stop()
		}
		v := &Visibility{Store: brokenSettings{}, Closing: ctx, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		for role, hidden := range map[agent.Role]bool{agent.RoleUser: true, agent.RoleReviewer: true, agent.RoleAdmin: false} {
			log.Reset()
			if got := v.TokensOnly(agent.Viewer{Role: role}); got != hidden {
				t.Errorf("closing %v: hidden from %s: %v", closing, role, got)
			}
			if said := strings.Contains(log.String(), "level=ERROR"); said != (hidden && !closing) {
				t.Errorf("closing %v: logged for %s: %q", closing, role, log.String())
			}
		}
	}
}
