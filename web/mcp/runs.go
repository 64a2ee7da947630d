package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
)

// maxRuns bounds what runs lists.
const maxRuns = 20

var runsTool = &sdk.Tool{
	Name:        "runs",
	Title:       "Recent runs",
	Description: "List your newest runs with their state, the newest first, and what those that wait are waiting for.",
	Annotations: &sdk.ToolAnnotations{Title: "Recent runs", ReadOnlyHint: true},
}

type runRow struct {
	RunID          string           `json:"runId"`
	ConversationID string           `json:"conversationId"`
	Status         agent.Status     `json:"status"`
	StopReason     agent.StopReason `json:"stopReason,omitempty"`
	CreatedAt      time.Time        `json:"createdAt"`
	EndedAt        time.Time        `json:"endedAt,omitzero"`
	URL            string           `json:"url"`
	Approvals      []card           `json:"approvals,omitempty"`
}

type runList struct {
	Runs []runRow `json:"runs"`
}

// runs lists the caller's own.
func (s *Server) runs(ctx context.Context, c call, _ struct{}) (*sdk.CallToolResult, *runList, error) {
	found, err := s.Store.RecentRuns(ctx, c.viewer.UserID, maxRuns)
	if err != nil {
		return nil, nil, err
	}
	out := &runList{Runs: make([]runRow, len(found))}
	for i, r := range found {
		out.Runs[i] = runRow{
			RunID: r.ID, ConversationID: r.ConversationID, Status: r.Status, StopReason: r.StopReason,
			CreatedAt: r.CreatedAt.UTC(), EndedAt: r.EndedAt, URL: c.link("/runs/" + r.ID),
		}
		if r.Status.Ended() {
			continue
		}
		if out.Runs[i].Approvals, err = s.cards(ctx, c, r.ID); err != nil {
			return nil, nil, err
		}
	}
	return text(out.text()), out, nil
}

func (l *runList) text() string {
	if len(l.Runs) == 0 {
		return "There are no runs yet."
	}
	var b strings.Builder
	for _, r := range l.Runs {
		fmt.Fprintf(&b, "- %s %s, conversation %s", r.Status, r.RunID, r.ConversationID)
		if r.StopReason != "" {
			fmt.Fprintf(&b, " (%s)", r.StopReason)
		}
		for _, a := range r.Approvals {
			fmt.Fprintf(&b, ", waits for %s: %s", a.Kind, a.URL)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
