package present

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
)

// audience is whom a conversation is shown to, and what they may see and do there.
type audience struct {
	// Text writes in the viewer's language.
	Text *text.Printer
	conv agent.Conversation
	// CSRF is the token of the forms; the page's script fills it in where it is "".
	CSRF string
	// Viewer is the person looking; Owns says that the conversation is theirs.
	Viewer agent.Viewer
	Owns   bool
	// TokensOnly says that the viewer is not shown money.
	TokensOnly bool
	Pinned     []string // messages that were pinned when the page was made
	// Feedback is what the viewer had said of answers by then.
	Feedback  map[string]agent.Feedback
	mayDecide func(agent.Approval) bool
	mayStop   bool
	// Schema is the schema of a tool's arguments, nil for none.
	Schema func(tool string) json.RawMessage
	// Zone is the instance's.
	Zone *time.Location
	// LoopLimit is the number of same calls that trips.
	LoopLimit int
}

// messagePath is where what is done with a message goes.
func (au *audience) messagePath(id string) string { return "/c/" + au.conv.ID + "/messages/" + id }

// failure says what a model call failed with, once, and what helps.
func (au *audience) failure(e agent.Event, d agent.ErrorEvent) part.Failure {
	f := part.Failure{ID: fmt.Sprintf("e-%d", e.Seq), Text: au.Text.Recorded(d.Message), Advice: au.Text.T("present.failure.final"), CSRF: au.CSRF}
	refused := d.Status == http.StatusUnauthorized || d.Status == http.StatusForbidden
	switch {
	case refused:
		f.Advice = au.Text.T("present.failure.refused")
		if au.Viewer.Role == agent.RoleAdmin {
			f.Advice, f.Models = au.Text.T("present.failure.refused_admin"), "/admin/models"
		}
	case d.Retryable:
		f.Advice = au.Text.T("present.failure.retryable")
	}
	if au.Owns {
		f.Edit = !refused
		f.Change = !d.Retryable
		if d.Retryable || refused {
			f.Again = "/runs/" + e.RunID + "/again"
		}
	}
	return f
}
