package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
	"unicode/utf8"

	"fusebox/agent"
	"fusebox/views/part"
)

// Bounds of what a tool card shows; the run's page has the rest.
const (
	maxToolText = 4 << 10
	maxToolArgs = 64 << 10
	maxPreview  = 80
)

// worthTelling is the shortest time that a card tells.
const worthTelling = 50 * time.Millisecond

// toolCall is one tool call as its card shows it.
type toolCall struct {
	key, id, name string
	args          string
	written       bool // the arguments are whole
	state         agent.CallState
	began         time.Time
	took          time.Duration
	live          string
	result        string
	errorType     agent.ErrorType
	truncated     bool
	// allowed says what let the call pass unasked, allowedBy where to revoke it.
	allowed, allowedBy string
	conv               string
}

// toolOf returns the state of a call, which it makes if it is new. The
// provider's id may hold anything, so the element has a made-up one.
func (p *presenter) toolOf(runID, callID, name string) *toolCall {
	key := runID + "/" + callID
	if t := p.tools[key]; t != nil {
		return t
	}
	t := &toolCall{key: key, id: toolElement(runID, callID), name: name, conv: p.conv.ID}
	p.tools[key] = t
	return t
}

func toolElement(runID, callID string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(runID + "/" + callID)) // a hash takes everything
	return fmt.Sprintf("t-%016x", h.Sum64())
}

func (p *presenter) tool(e agent.Event, callID string) *toolCall { return p.tools[e.RunID+"/"+callID] }

// startTool shows a call that the model has begun to write.
func (p *presenter) startTool(e agent.Event, d agent.ToolCallStart) {
	a := p.open
	if a == nil || a.final != nil || a.lost {
		return
	}
	p.settleWait(a)
	t := p.toolOf(e.RunID, d.ToolCallID, d.ToolName)
	a.tools = append(a.tools, t)
	p.append(a.id+"-t", part.ToolCard(t.props()))
}

func (p *presenter) toolArgs(e agent.Event, d agent.ToolCallDelta) {
	t := p.tool(e, d.ToolCallID)
	if t == nil || t.written {
		return
	}
	before := t.argsText()
	t.args = clipBytes(t.args+d.Delta, 2*maxToolText)
	p.addText(t.id+"-args", strings.TrimPrefix(t.argsText(), before))
}

func (p *presenter) toolState(e agent.Event, d agent.ToolCallStateEvent) {
	p.inEffect(e, d)
	t := p.tool(e, d.ToolCallID)
	if t == nil {
		return
	}
	t.state = d.State
	if d.Rule != (agent.Authority{}) {
		t.allowed, t.allowedBy = p.allowedBy(d.Rule)
	}
	switch {
	case d.State == agent.CallExecuting:
		t.began, t.live = e.At, ""
	case !t.began.IsZero() && d.State != agent.CallUncertain:
		t.took = e.At.Sub(t.began)
	}
	p.sendTool(t)
}

// toolOutput adds live output. The first piece unfolds the card, the others are
// text at its end.
func (p *presenter) toolOutput(e agent.Event, d agent.ToolResultDelta) {
	t := p.tool(e, d.ToolCallID)
	if t == nil || t.state != agent.CallExecuting {
		return
	}
	before := t.live
	t.live = clipBytes(t.live+d.Delta, maxToolText)
	if before == "" {
		p.sendTool(t)
		return
	}
	p.addText(t.id+"-out", t.live[len(before):])
}

func (p *presenter) toolResult(e agent.Event, d agent.ToolCallResult) {
	if t := p.tool(e, d.ToolCallID); t != nil {
		t.result, t.errorType, t.truncated, t.live = d.Result, d.ErrorType, d.Truncated, ""
		p.sendTool(t)
	}
}

// toolMessage is what the model reads of a result: the card shows it already,
// unless it came without its event.
func (p *presenter) toolMessage(e agent.Event, m agent.Message) {
	if t := p.tool(e, m.ToolCallID); t != nil && t.result == "" {
		t.result, t.live = m.Content, ""
		p.sendTool(t)
	}
}

func (p *presenter) sendTool(t *toolCall) {
	if p.live {
		p.replace(t.id, part.ToolCard(t.props()))
	}
}

func (t *toolCall) props() part.Tool {
	shown := part.Tool{
		ID: t.id, Name: t.name, State: string(t.state), Label: toolLabel(t.state, t.errorType),
		Allowed: t.allowed, AllowedBy: t.allowedBy,
		Args: t.argsText(), Live: t.live, Result: clipBytes(t.result, maxToolText), Failed: t.errorType != "",
	}
	if t.written {
		shown.Preview = preview(t.args)
		if whole := indentJSON(t.args); len(whole) > len(shown.Args) {
			shown.ArgsCut = fmt.Sprintf("Show all %d characters, in the messages as JSON", utf8.RuneCountInString(whole))
			shown.Whole = "/api/v1/conversations/" + t.conv + "/messages"
		}
	}
	if t.took >= worthTelling {
		shown.Took = seconds(t.took)
	}
	switch missing := len(t.result) - len(shown.Result); {
	case missing > 0:
		shown.Cut = fmt.Sprintf("%s more bytes are on the run's page.", tokens(int64(missing)))
	case t.truncated:
		shown.Cut = "The output was cut; the whole of it is kept in a file on the server."
	}
	return shown
}

// argsText is the arguments as the card shows them: indented once they are whole.
func (t *toolCall) argsText() string {
	if !t.written {
		return clipBytes(t.args, maxToolText)
	}
	return clipBytes(indentJSON(t.args), maxToolArgs)
}

// indentJSON makes JSON readable; what is none stays as it is.
func indentJSON(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return raw
	}
	return plainJSON(b.String())
}

// htmlEscapes are the escapes that programs put into JSON for the sake of
// HTML. They hide what a command says; our pages escape by themselves. Two
// backslashes come first, so that the second of them begins nothing.
var htmlEscapes = strings.NewReplacer(`\\`, `\\`, `\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">")

// plainJSON shows JSON as a person would write it, with nothing hidden in it.
func plainJSON(raw string) string { return visibleJSON(htmlEscapes.Replace(raw)) }

// preview is the arguments in one line: the value alone where there is one.
func preview(args string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(args), &fields) != nil {
		return agent.Clip(plainJSON(args), maxPreview)
	}
	if len(fields) == 0 {
		return ""
	}
	if len(fields) == 1 {
		for _, v := range fields {
			if s, ok := v.(string); ok {
				return agent.Clip(visible(s), maxPreview)
			}
		}
	}
	return agent.Clip(plainJSON(args), maxPreview)
}

// clipBytes returns the first n bytes of s at most, whole characters only.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
