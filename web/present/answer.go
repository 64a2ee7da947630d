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
	started   time.Time
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
	finalAt  time.Time
	blocks   []part.Block // of the final message, rendered when they are first needed
}

// startAnswer makes room for the message that a model call will write.
func (p *Presenter) startAnswer(e agent.Event, id string) {
	p.closeAnswer()
	a := &answer{id: "m-" + id, started: e.At, open: true, stream: markdown.Stream{Text: p.Text}, acts: part.Acts{Path: p.messagePath(id)}, versions: func() part.Versions { return p.branch.versions(id) }}
	p.answers[id], p.open = a, a
	p.addAnswer(e, a)
}

// messagePath is where what is done with a message goes.
func (p *Presenter) messagePath(id string) string { return "/c/" + p.conv.ID + "/messages/" + id }

func (p *Presenter) addAnswer(e agent.Event, a *answer) {
	p.add(item{id: a.id, seq: e.Seq, message: true, answer: a, View: a.component})
}

// closeAnswer ends the writing of the open message, final or not.
func (p *Presenter) closeAnswer() {
	a := p.open
	p.open = nil
	if a == nil || !a.open {
		return
	}
	p.settleWait(a)
	a.open = false
	p.remove(a.id + "-o")
}

// text adds a piece of the open message.
func (p *Presenter) text(d agent.TextDelta) {
	a := p.answers[d.ID]
	if a == nil || a.final != nil || a.lost {
		return
	}
	p.settleWait(a)
	first, before := len(a.stream.Src) == 0, len(a.stream.Blocks)
	from, grown := a.stream.Write(d.Delta)
	if first && a.reasoning != "" {
		p.replace(a.id+"-r", part.ReasoningView(a.thought()))
	}
	if !p.live {
		return
	}
	now := len(a.stream.Blocks)
	if grown != "" {
		p.addText(a.blockID(now-1)+"-c", grown)
	}
	if from < 0 {
		return
	}
	for i := from; i < now; i++ {
		p.append(a.id+"-b", part.BlockView(a.block(i)))
	}
	for i := now; i < before; i++ {
		p.remove(a.blockID(i)) // what looked like text became a link's definition
	}
}

// reason adds a piece of the open message's reasoning.
func (p *Presenter) reason(d agent.ReasoningDelta) {
	a := p.answers[d.ID]
	if a == nil || a.final != nil || a.lost {
		return
	}
	p.settleWait(a)
	first := a.reasoning == ""
	a.reasoning += d.Delta
	if first {
		p.replace(a.id+"-r", part.ReasoningView(a.thought()))
		return
	}
	p.addText(a.id+"-r-t", d.Delta)
}

// reset voids what was streamed of a message, its tool calls included.
func (p *Presenter) reset(id string) {
	a := p.answers[id]
	if a == nil || a.final != nil {
		return
	}
	for _, t := range a.tools {
		delete(p.tools, t.key)
	}
	a.stream, a.reasoning, a.tools, a.lost = markdown.Stream{Text: p.Text}, "", nil, false
	p.replace(a.id, a.component())
}

// finishAnswer puts the final message in the place of what was streamed. Only
// what differs is sent.
func (p *Presenter) finishAnswer(e agent.Event, m agent.Message) {
	a := p.answers[m.ID]
	if a == nil {
		a = &answer{id: "m-" + m.ID, started: e.At, stream: markdown.Stream{Text: p.Text}, versions: func() part.Versions { return p.branch.versions(m.ID) }}
		p.answers[m.ID] = a
		a.conclude(p, e, m)
		p.addAnswer(e, a)
		p.join(a)
		return
	}
	p.settleWait(a)
	shown, lost := a.streamed(), a.lost
	tools := a.tools
	a.conclude(p, e, m)
	if p.open == a {
		p.open = nil
	}
	switch {
	case !p.live:
	case lost:
		p.replace(a.id, a.component())
	default:
		p.sendFinal(a, shown, tools)
	}
	p.join(a)
}

// conclude takes the final message over.
func (a *answer) conclude(p *Presenter, e agent.Event, m agent.Message) {
	a.final, a.finalAt, a.open, a.lost = &m, e.At, false, false
	a.reasoning, a.stream = m.Reasoning, markdown.Stream{Text: p.Text}
	a.acts = part.Acts{}
	if m.Content != "" {
		a.acts = part.Acts{Path: p.messagePath(m.ID), CSRF: p.CSRF, At: e.At}
	}
	if p.Owns && m.Content != "" && len(m.ToolCalls) == 0 {
		rated := p.Feedback[m.ID]
		a.acts.Rates, a.acts.Keeps = true, true
		a.acts.Rating, a.acts.Reason = string(rated.Rating), rated.Reason
	}
	a.tools = make([]*toolCall, 0, len(m.ToolCalls))
	for _, c := range m.ToolCalls {
		t := p.toolOf(e.RunID, c.ID, c.Name)
		t.name, t.args, t.written, t.of = c.Name, c.Arguments, true, a
		a.tools = append(a.tools, t)
	}
}

// sendFinal sends what the final message changes on the page.
func (p *Presenter) sendFinal(a *answer, shown []part.Block, before []*toolCall) {
	if a.reasoning != "" {
		p.replace(a.id+"-r", part.ReasoningView(a.thought()))
	}
	blocks := a.rendered()
	for i, b := range blocks {
		if i >= len(shown) || shown[i] != b {
			p.append(a.id+"-b", part.BlockView(b))
		}
	}
	for i := len(blocks); i < len(shown); i++ {
		p.remove(shown[i].ID)
	}
	if slices.Equal(a.tools, before) {
		for _, t := range a.tools {
			p.sendTool(t)
		}
	} else {
		p.replace(a.id+"-t", a.toolRows())
	}
	if len(a.final.Citations) > 0 {
		p.replace(a.id+"-s", part.SourcesView(a.cites()))
	}
	p.replace(a.id+"-k", part.ActsView(a.id, a.acts))
	p.remove(a.id + "-o")
}

// wait shows a pause before the model is retried.
func (p *Presenter) wait(e agent.Event) {
	if p.open != nil {
		p.addWait(p.open, waitOf(p.Text, e))
	}
}

// addWait adds a line to the open message. Retries of one call share a line.
func (p *Presenter) addWait(a *answer, w part.Wait) {
	if n := len(a.waits); n > 0 && a.waits[n-1].Retry && w.Retry {
		w.ID = a.waits[n-1].ID
		a.waits[n-1] = w
		p.replace(w.ID, part.WaitLine(w))
		return
	}
	p.settleWait(a)
	w.ID = fmt.Sprintf("%s-w%d", a.id, len(a.waits))
	a.waits = append(a.waits, w)
	p.append(a.id+"-w", part.WaitLine(w))
}

// settleWait stops the countdown of the last wait: the next try has begun.
func (p *Presenter) settleWait(a *answer) {
	n := len(a.waits)
	if n == 0 || a.waits[n-1].Until.IsZero() {
		return
	}
	a.waits[n-1].Until = time.Time{}
	p.replace(a.waits[n-1].ID, part.WaitLine(a.waits[n-1]))
}

// thought is the reasoning as it is shown.
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

// block is one block of a message that is being written.
func (a *answer) block(i int) part.Block {
	b := a.stream.Blocks[i]
	shown := part.Block{ID: a.blockID(i), HTML: b.HTML, Live: b.Live, Language: b.Language}
	if b.Live {
		shown.Code = a.stream.Code(b)
	}
	return shown
}

// rendered is the blocks of the final message.
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
