package web

import (
	"context"
	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/web/hub"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
)

// bell knows what waits for a viewer.
type bell struct {
	Store      bellStore
	Visibility *visibility
}

// bellStore is the part of the store that bell needs.
type bellStore interface {
	// Alerts lists the viewer's own, for admins also the house's, newest first.
	Alerts(ctx context.Context, v agent.Viewer, p agent.Page) ([]agent.Alert, string, error)
	UnseenAlerts(ctx context.Context, v agent.Viewer) (int, error)
	// Waiting counts what waits for the viewer, with the newest of it.
	Waiting(ctx context.Context, v agent.Viewer, newest int) (agent.Waiting, error)
}

// cards show approvals to one viewer.
type cards struct {
	Store      cardsStore
	Clock      agent.Clock
	Desk       *service.Desk
	Tools      agent.Toolbox
	Visibility *visibility
	Zone       *time.Location
}

// cardsStore is the part of the store that cards needs.
type cardsStore interface {
	// RecentCalls are the newest calls of a tool that were started, in all runs.
	RecentCalls(ctx context.Context, tool string, limit int) ([]agent.ToolCall, error)
}

// liveConversation serves the live log of a conversation.
type liveConversation struct {
	Store      liveConversationStore
	Presenters *presenters
	Sockets    *sockets
	Visibility *visibility
	Log        *eventLog
}

// liveConversationStore is the part of the store that liveConversation needs.
type liveConversationStore interface {
	Conversation(ctx context.Context, v agent.Viewer, id string) (*agent.Conversation, error)
	// Transcript is the whole log without the deltas of messages that are final.
	Transcript(ctx context.Context, conversationID string) ([]agent.Event, error)
}

// liveInbox serves the live inbox of reviewers.
type liveInbox struct {
	Store      liveInboxStore
	Hub        *hub.Hub
	Sockets    *sockets
	Visibility *visibility
	Cards      *cards
	Bell       *bell
	Presence   *presence
}

// liveInboxStore is the part of the store that liveInbox needs.
type liveInboxStore interface {
	Approval(ctx context.Context, v agent.Viewer, id string) (*agent.Approval, error)
	// Approvals lists what the viewer may see: his own conversations', all for
	// reviewers and admins; pending ones oldest first, others newest first.
	Approvals(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.Approval, string, error)
	// Inbox lists what the viewer may see: what waits unread first, then the
	// oldest first; other lists newest first.
	Inbox(ctx context.Context, v agent.Viewer, f agent.ApprovalFilter, p agent.Page) ([]agent.InboxEntry, string, error)
	// InboxEntries are some approvals, oldest first; what the viewer may not see is left out.
	InboxEntries(ctx context.Context, v agent.Viewer, ids []string) ([]agent.InboxEntry, error)
}

// presence knows who is looking at which approval.
type presence struct {
	Store   presenceStore
	Clock   agent.Clock
	Closing context.Context
	Logger  *slog.Logger
	board   *board
}

// presenceStore is the part of the store that presence needs.
type presenceStore interface {
	// Look notes that the viewer has an approval before his eyes; opened sticks.
	Look(ctx context.Context, v agent.Viewer, approvalID string, opened bool) error
	// Looks returns who has looked since a time; no ids means at any. The caller
	// has checked the viewer.
	Looks(ctx context.Context, ids []string, since time.Time) ([]agent.Look, error)
}

// presenters make presenters of conversations.
type presenters struct {
	Cards      *cards
	Desk       *service.Desk
	Guards     agent.GuardSettings
	Visibility *visibility
	Zone       *time.Location
}

// sessions are the browsers that are signed in.
type sessions struct {
	Clock   agent.Clock
	Logger  *slog.Logger
	Streams *streams
	manager *scs.SessionManager
}

// sockets serve websockets.
type sockets struct {
	Closing context.Context
	Logger  *slog.Logger
	Streams *streams
	open    atomic.Int64
}

// streams are the readers that outlive an ordinary request.
type streams struct {
	Clock   agent.Clock
	Closing context.Context
	Logger  *slog.Logger
	holder  func(ctx context.Context, by credential) (*agent.User, string, error)
	set     *streamSet
}

// visibility knows from whom money is hidden.
type visibility struct {
	Store   visibilityStore
	Closing context.Context
	Logger  *slog.Logger
}

// visibilityStore is the part of the store that visibility needs.
type visibilityStore interface {
	// Setting is what an admin has set for the whole house, "" for nothing;
	// SetSetting changes it, audited under the actor's e-mail address.
	Setting(ctx context.Context, key string) (string, error)
}
