package web

import (
	"context"
	"encoding/json"
	"errors"
	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"net/url"
	"slices"
	"strings"
	"time"
)

// cardAlone is a card on a page of its own, with what only that shows: the
// change against the file as it is now, the arguments as a form, and what a
// wider approval would have covered.
func (s *cards) cardAlone(ctx context.Context, v agent.Viewer, a agent.Approval, in typed) (part.Approval, error) {
	if !s.Clock.Now().Before(a.EffectiveAt) {
		a.EffectiveAt = time.Time{}
	}
	hidden := s.Visibility.tokensOnly(v)
	if hidden {
		a = approvalWithoutMoney(a)
	}
	card := approvalProps(a, onlooker{v, s.Desk.MayDecide(v, a), "", s.Zone})
	if hidden {
		hideCardMoney(&card)
	}
	card.Alone, card.Draft = true, in.draft
	if a.Kind != agent.KindTool || a.Status != agent.ApprovalPending {
		return card, nil
	}
	s.renewDiff(&card, a)
	if !card.MayDecide {
		return card, nil
	}
	addArgsForm(&card, a, s.schemaOf(a.ToolName))
	in.fill(&card)
	if card.Critical || !v.Role.Reviews() {
		return card, nil
	}
	card.Reach.Always = true
	var err error
	card.Reach.Recent, err = s.recentOf(ctx, a)
	return card, err
}

// schemaOf is the JSON schema of a tool's arguments, nil for an unknown tool.
func (s *cards) schemaOf(tool string) json.RawMessage {
	spec, _ := s.Tools.Lookup(tool)
	return spec.Parameters
}

// addArgsForm adds the arguments as fields, where a person may edit them.
func addArgsForm(props *part.Approval, a agent.Approval, schema json.RawMessage) {
	if a.Kind != agent.KindTool || !props.MayDecide || props.Settled != nil {
		return
	}
	if root, ok := argTree(schema, a.Args); ok {
		props.Fields = root.fields()
	}
}

// typed is a posted form that was not taken, and why; draft is what the card
// shows of it.
type typed struct {
	draft   part.Draft
	form    url.Values
	problem error
}

// fill puts what was typed into the fields of the arguments, and the errors to
// them; those that have no field stand below all of them.
func (t typed) fill(props *part.Approval) {
	var e *agent.Error
	if t.form.Get("decision") != editForm || !errors.As(t.problem, &e) {
		return
	}
	props.Fields = typedFields(props.Fields, t.form, e.Fields)
	for _, f := range e.Fields {
		if name, inside, _ := strings.Cut(f.Field, "."); name == "args" && !placed(props.Fields, f.Detail) {
			t.draft.Errors["form"] = strings.TrimPrefix(inside+" "+f.Detail, " ")
		}
	}
}

// renewDiff shows what a write would change now, and says so where that is not
// what was shown when it was asked.
func (s *cards) renewDiff(props *part.Approval, a agent.Approval) {
	asked, err := a.ToolEvidence()
	_, known := s.Tools.Lookup(a.ToolName)
	if err != nil || asked.Diff == "" || !known {
		return
	}
	now := s.Tools.Evidence(a.ToolName, agent.ToolInput{
		RunID: a.RunID, ConversationID: a.ConversationID, CallID: a.ToolCallID, Args: a.Args,
	})
	if now.Effect == "" || now.Diff == asked.Diff {
		return
	}
	props.Call.Moved = "The file has changed since this was asked. This is the change against the file as it is now."
	if now.Diff == "" {
		props.Call.Moved = "The file has changed since this was asked: it holds already what would be written."
	}
	props.Call.Diff = diffLines(now.Diff)
}

// How far back a wider approval is tried, and how many calls are named.
const (
	recentCalls    = 200
	recentExamples = 5
)

// recentOf says which of a tool's newest calls a wider approval would have covered.
func (s *cards) recentOf(ctx context.Context, a agent.Approval) (*part.RecentCalls, error) {
	calls, err := s.Store.RecentCalls(ctx, a.ToolName, recentCalls)
	if err != nil {
		return nil, err
	}
	r := &part.RecentCalls{Of: len(calls)}
	for _, call := range calls {
		if call.ArgsHash == a.ArgsHash {
			countMatch(&r.Exact, call)
		}
		if len(a.Pattern) > 0 && a.Pattern.Matches(json.RawMessage(call.Args)) {
			countMatch(&r.Pattern, call)
		}
	}
	return r, nil
}

// countMatch counts a call; different ones are named.
func countMatch(m *part.Matched, call agent.ToolCall) {
	m.Count++
	example := agent.Clip(plainJSON(call.Args), maxSoFarGist)
	if len(m.Examples) < recentExamples && !slices.Contains(m.Examples, example) {
		m.Examples = append(m.Examples, example)
	}
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

// rowFor is a row as one person sees it: with the box for deciding many at
// once, where he may, and with who else is looking.
func (s *cards) rowFor(v agent.Viewer, e agent.InboxEntry, looking string) page.InboxRow {
	if s.Visibility.tokensOnly(v) {
		e.Approval, e.CostMicros = approvalWithoutMoney(e.Approval), 0
	}
	row := inboxRow(e, s.Clock.Now())
	if total := e.Usage.Total(); total > 0 && s.Visibility.tokensOnly(v) {
		row.Spent = tokens(total) + " tokens"
	}
	if e.Status != agent.ApprovalPending {
		return row
	}
	row.Looking = looking
	switch {
	case !s.Desk.MayDecide(v, e.Approval):
		row.NoPick = "Another person has to decide this."
	case e.Kind != agent.KindTool:
		row.NoPick = "Only calls of tools can be decided together. Open this one."
	case !e.Risk.AtMost(agent.RiskMedium):
		row.NoPick = "What is of " + string(e.Risk) + " risk is decided one by one. Open it."
	default:
		row.Pick = pickOf(e.Approval)
	}
	return row
}
