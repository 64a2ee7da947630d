package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fusebox/agent"
	"fusebox/web/present"
)

// maxApprovals bounds what approvals lists.
const maxApprovals = 50

// maxDraftShown bounds how much of a draft the list for a model has, in bytes.
const maxDraftShown = 500

var approvalsTool = &sdk.Tool{
	Name:        "approvals",
	Title:       "Waiting approvals",
	Description: "List what waits for a person's decision and where they decide, the oldest first. Nothing can be decided here.",
	Annotations: &sdk.ToolAnnotations{Title: "Waiting approvals", ReadOnlyHint: true},
}

type approvalRow struct {
	card
	Risk           agent.Risk `json:"risk"`
	ToolName       string     `json:"toolName,omitempty"`
	Message        string     `json:"message"`
	Draft          string     `json:"draft,omitempty" jsonschema:"the text that the agent proposes and the person edits"`
	RunID          string     `json:"runId"`
	ConversationID string     `json:"conversationId"`
	RequestedAt    time.Time  `json:"requestedAt"`
	ExpiresAt      time.Time  `json:"expiresAt,omitzero"`
}

type approvalList struct {
	Approvals []approvalRow `json:"approvals"`
	// More says that more are waiting than are listed.
	More bool `json:"more,omitempty" jsonschema:"more are waiting than are listed"`
}

// approvals lists what waits and the caller may see.
func (s *Server) approvals(ctx context.Context, c call, _ struct{}) (*sdk.CallToolResult, *approvalList, error) {
	found, next, err := s.Store.Approvals(ctx, c.viewer, agent.ApprovalFilter{Status: agent.ApprovalPending}, agent.Page{Limit: maxApprovals})
	if err != nil {
		return nil, nil, err
	}
	out := &approvalList{Approvals: make([]approvalRow, len(found)), More: next != ""}
	hidden := s.Visibility.TokensOnly(c.viewer)
	for i, a := range found {
		if hidden {
			a = present.ApprovalWithoutMoney(a)
		}
		draft := ""
		if a.Kind == agent.KindQuestion {
			ev, _ := a.QuestionEvidence()
			draft = ev.Draft
		}
		out.Approvals[i] = approvalRow{
			card: card{ID: a.ID, Kind: a.Kind, URL: c.link(cardPath + a.ID)}, Risk: a.Risk, ToolName: a.ToolName, Message: a.Message, Draft: draft,
			RunID: a.RunID, ConversationID: a.ConversationID, RequestedAt: a.RequestedAt.UTC(), ExpiresAt: a.ExpiresAt,
		}
	}
	return text(out.text()), out, nil
}

func (l *approvalList) text() string {
	if len(l.Approvals) == 0 {
		return "Nothing waits for a decision."
	}
	var b strings.Builder
	for _, a := range l.Approvals {
		fmt.Fprintf(&b, "- %s", a.Kind)
		if a.ToolName != "" {
			fmt.Fprintf(&b, " %s", a.ToolName)
		}
		fmt.Fprintf(&b, ", risk %s: %s %s\n", a.Risk, a.Message, a.URL)
		if a.Draft != "" {
			fmt.Fprintf(&b, "  The draft to edit begins: %q\n", agent.Clip(a.Draft, maxDraftShown))
		}
	}
	if l.More {
		b.WriteString("More are waiting.\n")
	}
	return b.String()
}
