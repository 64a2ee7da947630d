package present

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/web/present/markdown"
)

// answer is one message of the model, being written or final.
type answer struct {
	id        string // its element
	waits     []part.Wait
	reasoning string
	stream    markdown.Stream
	tools     []*toolCall
	open      bool
	// lost marks a message whose beginning this presenter has not seen: it
	// sends nothing of it until it is final.
	lost bool

	acts part.Acts
	// versions are those that the answer has now.
	versions func() part.Versions
	final    *agent.Message
	blocks   []part.Block // of the final message, rendered when they are first needed
}

// answers are the messages of the model in a transcript.
type answers struct {
	*audience
	*transcript
	tools *toolCalls
	byID  map[string]*answer
	open  *answer // the one that is being written
}

func (as *answers) show(e agent.Event, a *answer) {
	as.add(item{id: a.id, seq: e.Seq, message: true, answer: a, View: a.component})
}

func (as *answers) make(id string) *answer {
	a := &answer{id: "m-" + id, stream: markdown.Stream{Text: as.Text}, versions: func() part.Versions { return as.Branch.versions(id) }}
	as.byID[id] = a
	return a
}

// start makes room for the message that a model call will write.
func (as *answers) start(e agent.Event, id string) {
	as.close()
	a := as.make(id)
	a.open, a.acts.Path = true, as.messagePath(id)
	as.open = a
	as.show(e, a)
}

// close ends the writing of the open message, final or not.
func (as *answers) close() {
	a := as.open
	as.open = nil
	if a == nil || !a.open {
		return
	}
	as.settleWait(a)
	a.open = false
	as.remove(a.id + "-o")
}

func (as *answers) text(d agent.TextDelta) {
	a := as.byID[d.ID]
	if a == nil || a.final != nil || a.lost {
		return
	}
	as.settleWait(a)
	first, before := len(a.stream.Src) == 0, len(a.stream.Blocks)
	from, grown := a.stream.Write(d.Delta)
	if first && a.reasoning != "" {
		as.replace(a.id+"-r", part.ReasoningView(a.thought()))
	}
	if !as.live {
		return
	}
	now := len(a.stream.Blocks)
	if grown != "" {
		as.addText(a.blockID(now-1)+"-c", grown)
	}
	if from < 0 {
		return
	}
	for i := from; i < now; i++ {
		as.append(a.id+"-b", part.BlockView(a.block(i)))
	}
	for i := now; i < before; i++ {
		as.remove(a.blockID(i)) // what looked like text became a link's definition
	}
}

func (as *answers) reason(d agent.ReasoningDelta) {
	a := as.byID[d.ID]
	if a == nil || a.final != nil || a.lost {
		return
	}
	as.settleWait(a)
	first := a.reasoning == ""
	a.reasoning += d.Delta
	if first {
		as.replace(a.id+"-r", part.ReasoningView(a.thought()))
		return
	}
	as.addText(a.id+"-r-t", d.Delta)
}

// reset voids what was streamed of a message, its tool calls included.
func (as *answers) reset(id string) {
	a := as.byID[id]
	if a == nil || a.final != nil {
		return
	}
	for _, t := range a.tools {
		delete(as.tools.byKey, t.key)
	}
	a.stream, a.reasoning, a.tools, a.lost = markdown.Stream{Text: as.Text}, "", nil, false
	as.replace(a.id, a.component())
}

func (as *answers) startTool(e agent.Event, d agent.ToolCallStart) {
	a := as.open
	if a == nil || a.final != nil || a.lost {
		return
	}
	as.settleWait(a)
	t := as.tools.of(e.RunID, d.ToolCallID, d.ToolName)
	t.of = a
	as.addTools(a, t)
}

// finish puts the final message in the place of what was streamed. Only
// what differs is sent.
func (as *answers) finish(e agent.Event, m agent.Message) {
	a := as.byID[m.ID]
	if a == nil {
		a = as.make(m.ID)
		as.conclude(a, e, m)
		as.show(e, a)
		as.join(a)
		return
	}
	as.settleWait(a)
	shown, lost := a.streamed(), a.lost
	tools := a.tools
	as.conclude(a, e, m)
	if as.open == a {
		as.open = nil
	}
	switch {
	case !as.live:
	case lost:
		as.replace(a.id, a.component())
	default:
		as.sendFinal(a, shown, tools)
	}
	as.join(a)
}

func (as *answers) conclude(a *answer, e agent.Event, m agent.Message) {
	a.final, a.open, a.lost = &m, false, false
	a.reasoning, a.stream = m.Reasoning, markdown.Stream{Text: as.Text}
	a.acts = part.Acts{}
	if m.Content != "" {
		a.acts = part.Acts{Path: as.messagePath(m.ID), CSRF: as.CSRF, At: e.At}
	}
	if as.Owns && m.Content != "" && len(m.ToolCalls) == 0 {
		rated := as.Feedback[m.ID]
		a.acts.Rates, a.acts.Keeps = true, true
		a.acts.Rating, a.acts.Reason = string(rated.Rating), rated.Reason
	}
	a.tools = make([]*toolCall, 0, len(m.ToolCalls))
	for _, c := range m.ToolCalls {
		t := as.tools.of(e.RunID, c.ID, c.Name)
		t.name, t.args, t.written, t.of = c.Name, c.Arguments, true, a
		a.tools = append(a.tools, t)
	}
}

func (as *answers) sendFinal(a *answer, shown []part.Block, before []*toolCall) {
	if a.reasoning != "" {
		as.replace(a.id+"-r", part.ReasoningView(a.thought()))
	}
	blocks := a.rendered()
	for i, b := range blocks {
		if i >= len(shown) || shown[i] != b {
			as.append(a.id+"-b", part.BlockView(b))
		}
	}
	for i := len(blocks); i < len(shown); i++ {
		as.remove(shown[i].ID)
	}
	if slices.Equal(a.tools, before) {
		for _, t := range a.tools {
			as.tools.send(t)
		}
	} else {
		as.replace(a.id+"-t", a.toolRows())
	}
	if len(a.final.Citations) > 0 {
		as.replace(a.id+"-s", part.SourcesView(a.cites()))
	}
	as.replace(a.id+"-k", part.ActsView(a.id, a.acts))
	as.remove(a.id + "-o")
}

// wait adds a line to the open message, if there is one. Retries of one call share a line.
func (as *answers) wait(w part.Wait) {
	a := as.open
	if a == nil {
		return
	}
	if n := len(a.waits); n > 0 && a.waits[n-1].Retry && w.Retry {
		w.ID = a.waits[n-1].ID
		a.waits[n-1] = w
		as.replace(w.ID, part.WaitLine(w))
		return
	}
	as.settleWait(a)
	w.ID = fmt.Sprintf("%s-w%d", a.id, len(a.waits))
	a.waits = append(a.waits, w)
	as.append(a.id+"-w", part.WaitLine(w))
}

// settleWait stops the countdown of the last wait: the next try has begun.
func (as *answers) settleWait(a *answer) {
	n := len(a.waits)
	if n == 0 || a.waits[n-1].Until.IsZero() {
		return
	}
	a.waits[n-1].Until = time.Time{}
	as.replace(a.waits[n-1].ID, part.WaitLine(a.waits[n-1]))
}

func (a *answer) thought() part.Reasoning {
	r := part.Reasoning{ID: a.id + "-r", Text: a.reasoning, Open: a.final == nil && len(a.stream.Src) == 0}
	if a.final != nil && a.final.ReasoningMS > 0 {
		r.Took = Seconds(time.Duration(a.final.ReasoningMS) * time.Millisecond)
	}
	return r
}

// streamed is the blocks of a message that is being written.
func (a *answer) streamed() []part.Block {
	blocks := make([]part.Block, len(a.stream.Blocks))
	for i := range blocks {
		blocks[i] = a.block(i)
	}
	return blocks
}

func (a *answer) block(i int) part.Block {
	b := a.stream.Blocks[i]
	shown := part.Block{ID: a.blockID(i), HTML: b.HTML, Live: b.Live, Language: b.Language}
	if b.Live {
		shown.Code = a.stream.Code(b)
	}
	return shown
}

func (a *answer) rendered() []part.Block {
	if a.final == nil {
		return a.streamed()
	}
	if a.blocks == nil {
		for i, h := range markdown.Render(a.stream.Text, a.final.Content, a.sources()) {
			a.blocks = append(a.blocks, part.Block{ID: a.blockID(i), HTML: h})
		}
	}
	return a.blocks
}

func (a *answer) blockID(i int) string { return a.id + "-b" + strconv.Itoa(i) }

func (a *answer) component() templ.Component {
	props := part.Answer{ID: a.id, Waits: a.waits, Reasoning: a.thought(), Blocks: a.rendered(), Acts: a.acts, Open: a.open, Versions: a.versions()}
	props.Groups, props.Sources = groupsProps(a.tools), a.cites()
	return part.AnswerView(props)
}
