package present

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/present/gist"
	"fusebox/web/present/jsontext"
)

// Bounds of what a tool card shows; the run's page has the rest.
const (
	maxToolText = 4 << 10
	maxToolArgs = 64 << 10
	maxPreview  = 120
	// maxResultGist is the longest result that stands in the row of its call.
	maxResultGist = 60
)

// worthTelling is the shortest time that a card shows.
const worthTelling = 50 * time.Millisecond

type toolCall struct {
	key, id, name string
	run, call     string
	args          string
	written       bool // the arguments are whole
	state         agent.CallState
	began         time.Time
	took          time.Duration
	live          string
	result        string
	images        []agent.Image
	errorType     agent.ErrorType
	truncated     bool
	// allowed says what let the call pass unasked, allowedBy where to revoke it.
	allowed, allowedBy string
	// of is the answer that shows the call, perhaps among those of later answers.
	of *answer
	// asked is the kind of the card that the call waits for, "" for none.
	asked agent.ApprovalKind
	// gives is what the row says of the result in place of it.
	gives string
	// spared says that the call did not run because its run was wrapped up.
	spared bool
	// child is the run that the call has made, nil for none.
	child *child
	csrf  string // for the form that cancels the call
	*audience
}

type toolCalls struct {
	*audience
	*transcript
	children *children
	byKey    map[string]*toolCall
}

// of returns the state of a call, which it makes if it is new. The
// provider's id may hold anything, so the element has a made-up one.
func (ts *toolCalls) of(runID, callID, name string) *toolCall {
	key := runID + "/" + callID
	if t := ts.byKey[key]; t != nil {
		return t
	}
	t := &toolCall{key: key, id: toolElement(runID, callID), run: runID, call: callID, name: name, csrf: ts.CSRF, audience: ts.audience}
	ts.byKey[key] = t
	if name == agent.DelegateTool {
		ts.children.adopt(t)
	}
	return t
}

func toolElement(runID, callID string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(runID + "/" + callID)) // a hash takes everything
	return fmt.Sprintf("t-%016x", h.Sum64())
}

// find is the call of a run, nil where the transcript has none.
func (ts *toolCalls) find(runID, callID string) *toolCall { return ts.byKey[runID+"/"+callID] }

func (ts *toolCalls) addArgs(e agent.Event, d agent.ToolCallDelta) {
	t := ts.find(e.RunID, d.ToolCallID)
	if t == nil || t.written {
		return
	}
	before := t.argsText()
	t.args = agent.ClipBytes(t.args+d.Delta, 2*maxToolText)
	ts.addText(t.id+"-args", strings.TrimPrefix(t.argsText(), before))
}

// addOutput adds live output. The first piece unfolds the card, the others are
// text at its end.
func (ts *toolCalls) addOutput(e agent.Event, d agent.ToolResultDelta) {
	t := ts.find(e.RunID, d.ToolCallID)
	if t == nil || t.state != agent.CallExecuting {
		return
	}
	before := t.live
	t.live = agent.ClipBytes(t.live+d.Delta, maxToolText)
	if before == "" {
		ts.send(t)
		return
	}
	ts.addText(t.id+"-out", t.live[len(before):])
}

// toolState shows how far a call is, and who or what let it pass.
func (p *Presenter) toolState(e agent.Event, d agent.ToolCallStateEvent) {
	p.cards.inEffect(e, d)
	t := p.tools.find(e.RunID, d.ToolCallID)
	if t == nil {
		return
	}
	t.state = d.State
	if d.Rule != (agent.Authority{}) {
		t.allowed, t.allowedBy = p.cards.allowedBy(d.Rule)
	}
	switch {
	case d.State == agent.CallExecuting:
		t.began, t.live = e.At, ""
	case !t.began.IsZero() && d.State != agent.CallUncertain:
		t.took = e.At.Sub(t.began)
	}
	p.tools.send(t)
}

// toolResult shows the result of a call. The plan and the outputs of its run may change with it.
func (p *Presenter) toolResult(e agent.Event, d agent.ToolCallResult) {
	if t := p.tools.find(e.RunID, d.ToolCallID); t != nil {
		t.result, t.errorType, t.truncated, t.live, t.images = d.Result, d.ErrorType, d.Truncated, "", d.Images
		t.gives = p.plan.changedBy(t)
		p.tools.send(t)
		p.values.take(t)
	}
}

// message takes what the model reads of a result: the card shows it already,
// unless it came without its event.
func (ts *toolCalls) message(e agent.Event, m agent.Message) {
	if t := ts.find(e.RunID, m.ToolCallID); t != nil && t.result == "" {
		t.result, t.live, t.images = m.Content, "", m.Images
		ts.send(t)
	}
}

func (ts *toolCalls) send(t *toolCall) {
	if !ts.live {
		return
	}
	ts.replace(t.id, part.ToolCard(t.props()))
	if g := groupWith(t); len(g) >= part.FewestGrouped {
		ts.replace(groupID(g)+"-s", part.ToolGroupHead(groupProps(g)))
	}
}

func (t *toolCall) props() part.Tool {
	shown := part.Tool{
		ID: t.id, Name: t.name, State: string(t.state), Label: t.label(),
		Allowed: t.allowed, AllowedBy: t.allowedBy,
		Args: t.argsText(), Live: t.live, Result: agent.ClipBytes(t.result, maxToolText), Failed: t.errorType != "", Pictures: picturesOf(t.run, t.images),
	}
	if t.child != nil {
		shown.Child = t.child.props()
		return shown
	}
	if t.mayStop {
		shown.Cancel, shown.Call, shown.CSRF = "/runs/"+t.run+"/cancel", t.call, t.csrf
	}
	if t.written {
		shown.Object = agent.Clip(t.gist(), maxPreview)
		if whole := jsontext.Indent(t.args); len(whole) > len(shown.Args) {
			shown.ArgsCut = t.Text.T("present.tool.show_all", utf8.RuneCountInString(whole))
			shown.Whole = t.textHref(TextArguments)
		}
	}
	if t.state == agent.CallSuccess {
		shown.Gives = gist.OfResult(t.result, maxResultGist)
		if n, ok := gist.Found(t.name, t.result); ok {
			shown.Gives = t.Text.T("present.tool.found", n)
		}
		shown.Gives = cmp.Or(t.gives, shown.Gives)
		if t.name == agent.EmitValueTool { // what it delivers says more than that it has
			shown.Gives = gist.OfResult(string(emitted(t.args).Value), maxResultGist)
		}
	}
	if t.took >= worthTelling {
		shown.Took = Seconds(t.took)
	}
	switch missing := len(t.result) - len(shown.Result); {
	case t.truncated:
		shown.Cut, shown.Rest = t.Text.T("present.tool.whole_output"), OutputHref(t.run, t.call)
	case missing > 0:
		shown.Cut, shown.Rest = t.Text.T("present.tool.cut", t.Text.Amount(int64(missing))), t.textHref(TextResult)
	}
	return shown
}

func (t *toolCall) textHref(of string) string {
	return RunTextHref(t.run, url.Values{"call": {t.call}, "of": {of}})
}

// argsText is the arguments as the card shows them: indented once they are whole.
func (t *toolCall) argsText() string {
	if !t.written {
		return agent.ClipBytes(t.args, maxToolText)
	}
	return agent.ClipBytes(jsontext.Indent(t.args), maxToolArgs)
}

func (t *toolCall) gist() string {
	var schema json.RawMessage
	if t.Schema != nil {
		schema = t.Schema(t.name)
	}
	return gist.OfCall(t.name, t.args, schema)
}

// label says the state in a word or two, and of a call that waits for what.
func (t *toolCall) label() string {
	waits := t.state == agent.CallAwaiting
	switch {
	case waits && t.asked == agent.KindQuestion:
		return t.Text.T("present.tool.awaiting_answer")
	case waits && t.asked == agent.KindLoop:
		return t.Text.T("present.tool.held")
	case t.spared && t.errorType == agent.ErrRejected:
		return t.Text.T("present.tool.spared")
	default:
		return toolLabel(t.Text, t.state, t.errorType)
	}
}
