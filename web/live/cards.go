package live

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/argform"
	"fusebox/web/present/jsontext"
	"fusebox/web/request"
)

// Alone is a card on a page of its own, with what only that shows: the
// change against the file as it is now, the arguments as a form, and what a
// wider approval would have covered.
func (s *Cards) Alone(ctx context.Context, v agent.Viewer, a agent.Approval, in Typed) (part.Approval, error) {
	if !s.Clock.Now().Before(a.EffectiveAt) {
		a.EffectiveAt = time.Time{}
	}
	hidden := s.Visibility.TokensOnly(v)
	if hidden {
		a = present.ApprovalWithoutMoney(a)
	}
	card := present.ApprovalProps(text.In(ctx), a, present.Onlooker{Viewer: v, MayDecide: s.Approvals.MayDecide(v, a), TokensOnly: hidden, Zone: s.Zone})
	card.Alone, card.Draft = true, in.Draft
	if a.AskingServer() != "" {
		in.fill(&card)
	}
	if a.Kind != agent.KindTool || a.Status != agent.ApprovalPending {
		return card, nil
	}
	s.renewDiff(ctx, &card, a)
	if !card.MayDecide {
		return card, nil
	}
	present.AddArgsForm(text.In(ctx), &card, a, s.SchemaOf(a.ToolName))
	in.fill(&card)
	if card.Critical || !v.Role.Reviews() {
		return card, nil
	}
	card.Reach.Always = true
	var err error
	card.Reach.Recent, err = s.recentOf(ctx, a)
	return card, err
}

// SchemaOf is the JSON schema of a tool's arguments, nil for an unknown tool.
func (s *Cards) SchemaOf(tool string) json.RawMessage {
	spec, _ := s.Tools.Lookup(tool)
	return spec.Parameters
}

// Typed is a posted form that was not taken, and why; Draft is what the card
// shows of it.
type Typed struct {
	Draft   part.Draft
	Form    url.Values
	Problem error
}

// fill puts what was typed into the fields of the arguments, and the errors to
// them; those that have no field stand below all of them.
func (t Typed) fill(props *part.Approval) {
	var e *agent.Error
	if verb := t.Form.Get("decision"); verb != EditForm && verb != string(agent.DecideAnswer) || !errors.As(t.Problem, &e) {
		return
	}
	props.Fields = argform.TypedFields(props.Fields, t.Form, e.Fields)
	for _, f := range e.Fields {
		if name, inside, _ := strings.Cut(f.Field, "."); name == "args" && !argform.Placed(props.Fields, f.Detail) {
			t.Draft.Errors["form"] = strings.TrimPrefix(inside+" "+f.Detail, " ")
		}
	}
}

// renewDiff shows what a write would change now, and says so where that is not
// what was shown when it was asked.
func (s *Cards) renewDiff(ctx context.Context, props *part.Approval, a agent.Approval) {
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
	props.Call.Moved = text.T(ctx, "page.approval.moved")
	if now.Diff == "" {
		props.Call.Moved = text.T(ctx, "page.approval.moved_same")
	}
	props.Call.Diff = present.DiffLines(text.In(ctx), now.Diff)
}

// How far back a wider approval is tried, and how many calls are named.
const (
	recentCalls    = 200
	recentExamples = 5
)

// recentOf says which of the owner's newest calls of a tool a wider approval would have
// covered.
func (s *Cards) recentOf(ctx context.Context, a agent.Approval) (*part.RecentCalls, error) {
	calls, err := s.Store.RecentCalls(ctx, a.OwnerID, a.ToolName, recentCalls)
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
	example := agent.Clip(jsontext.Plain(call.Args), MaxSoFarGist)
	if len(m.Examples) < recentExamples && !slices.Contains(m.Examples, example) {
		m.Examples = append(m.Examples, example)
	}
}

// Cards show approvals to one viewer.
type Cards struct {
	Store      service.ApprovalStore
	Clock      agent.Clock
	Approvals  *service.Approvals
	Tools      agent.Toolbox
	Visibility *request.Visibility
	Zone       *time.Location
}

// Row is a row as one person sees it: with the box for deciding many at
// once, where they may, and with who else is looking.
func (s *Cards) Row(ctx context.Context, v agent.Viewer, e agent.InboxEntry, looking string) page.InboxRow {
	if s.Visibility.TokensOnly(v) {
		e.Approval, e.CostMicros = present.ApprovalWithoutMoney(e.Approval), 0
	}
	row := present.InboxRow(text.In(ctx), v, e, s.Clock.Now())
	if total := e.Usage.Total(); total > 0 && s.Visibility.TokensOnly(v) {
		row.Spent = text.T(ctx, "page.inbox.spent_tokens", text.In(ctx).Amount(total))
	}
	if e.Status != agent.ApprovalPending {
		return row
	}
	row.Looking = looking
	if e.Mine && e.Kind == agent.KindTool && e.Risk.AtMost(agent.RiskMedium) {
		row.Pick = present.PickOf(e.Approval)
	}
	return row
}

// Bounds of the summary of a run beside its approval.
const (
	MaxSoFar     = 40
	MaxSoFarText = 4000
	MaxSoFarGist = 120
)

// EditForm is the button that takes the arguments from the form's fields.
const EditForm = "edit_form"
