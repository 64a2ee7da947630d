package present

import (
	"net/url"
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
	"fusebox/web/present/invisible"
	"fusebox/web/present/jsontext"
)

const (
	// maxStepText bounds each text on a run's page; the rest has a page of its own.
	maxStepText = 600
	// openSteps is how many steps a run may have for all of them to be open.
	openSteps = 5
)

// The texts of a run that have a page of their own: those of messages and of calls.
const (
	TextThoughts  = "thoughts"
	TextAnswer    = "answer"
	TextArguments = "arguments"
	TextResult    = "result"
)

// RunSteps lists what the model thought, said, and called in each step of a run, and
// what came of it.
func RunSteps(tr *text.Printer, run agent.Run, events []agent.Event, calls []agent.ToolCall) []page.RunStep {
	r := stepReader{text: tr, run: run, at: map[int]int{}}
	for _, e := range events {
		r.read(e)
	}
	for _, c := range calls {
		r.call(c)
	}
	for i := range r.steps {
		s := &r.steps[i]
		s.Open = s.Bad || len(r.steps) <= openSteps
		s.Gist = agent.Clip(strings.Join(r.gists[i], ", "), maxPreview)
	}
	return r.steps
}

// stepReader puts steps together, in the order of their first event.
type stepReader struct {
	text  *text.Printer
	run   agent.Run
	steps []page.RunStep
	gists [][]string
	at    map[int]int // by number: the index of a step
}

func (r *stepReader) step(n int) int {
	i, ok := r.at[n]
	if !ok {
		i = len(r.steps)
		r.at[n] = i
		r.steps, r.gists = append(r.steps, page.RunStep{N: n}), append(r.gists, nil)
	}
	return i
}

func (r *stepReader) read(e agent.Event) {
	switch d := e.Data.(type) {
	case agent.MessageEvent:
		if d.Message.Role == agent.FromAssistant {
			i := r.step(e.Step)
			r.add(i, r.ofMessage(d.Message, TextThoughts, d.Message.Reasoning))
			r.add(i, r.ofMessage(d.Message, TextAnswer, d.Message.Content))
		}
	case agent.ErrorEvent:
		i := r.step(e.Step)
		r.steps[i].Bad = true
		r.add(i, page.RunText{Label: r.text.T("present.span.error"), Body: invisible.Visible(r.text.Recorded(d.Message)), Bad: true})
	default:
	}
}

func (r *stepReader) add(i int, t page.RunText) {
	if t.Body != "" {
		r.steps[i].Texts = append(r.steps[i].Texts, t)
	}
}

func (r *stepReader) call(c agent.ToolCall) {
	i := r.step(c.Step)
	bad := c.ErrorType != "" || c.Blocked || c.State == agent.CallUncertain
	r.gists[i] = append(r.gists[i], c.Name)
	r.steps[i].Bad = r.steps[i].Bad || bad
	shown := page.RunCall{Name: c.Name, State: callState(r.text, c), Bad: bad, Pictures: picturesOf(c.RunID, c.Images)}
	shown.Texts = append(shown.Texts, r.ofCall(c, TextArguments, jsontext.Indent(c.Args)))
	if c.Result != "" {
		result := r.ofCall(c, TextResult, invisible.Visible(c.Result))
		result.Bad = c.ErrorType != ""
		if result.Bad {
			result.Label = r.text.T("run.text.error", string(c.ErrorType))
		}
		if c.Truncated {
			result.More, result.MoreLabel = OutputHref(c.RunID, c.ID), r.text.T("present.tool.whole_output")
		}
		shown.Texts = append(shown.Texts, result)
	}
	r.steps[i].Calls = append(r.steps[i].Calls, shown)
}

func (r *stepReader) ofMessage(m agent.Message, of, body string) page.RunText {
	return r.clipped(of, invisible.Visible(body), RunTextHref(r.run.ID, url.Values{"message": {m.ID}, "of": {of}}))
}

func (r *stepReader) ofCall(c agent.ToolCall, of, body string) page.RunText {
	t := r.clipped(of, body, RunTextHref(r.run.ID, url.Values{"call": {c.ID}, "of": {of}}))
	t.Mono = true
	return t
}

// clipped is the beginning of a text, with a link to all of it where that is more.
func (r *stepReader) clipped(of, body, href string) page.RunText {
	t := page.RunText{Label: RunTextLabel(r.text, of), Body: agent.ClipBytes(body, maxStepText)}
	if len(t.Body) < len(body) {
		t.Body += "…"
		t.More, t.MoreLabel = href, r.text.T("run.text.more", r.text.Amount(int64(len(body))))
	}
	return t
}

// RunTextLabel names a kind of text.
func RunTextLabel(tr *text.Printer, of string) string {
	switch of {
	case TextThoughts:
		return tr.T("run.text.thoughts")
	case TextArguments:
		return tr.T("tool.arguments")
	case TextResult:
		return tr.T("tool.result")
	default:
		return tr.T("run.text.answer")
	}
}

// RunTextHref is the page of a text of a run.
func RunTextHref(runID string, which url.Values) string {
	return "/runs/" + runID + "/text?" + which.Encode()
}

// OutputHref leads to the kept output of a call.
func OutputHref(runID, callID string) string {
	return "/runs/" + runID + "/output?" + url.Values{"call": {callID}}.Encode()
}
