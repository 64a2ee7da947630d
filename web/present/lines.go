package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present/markdown"
)

// notice shows a quiet line: above the message that is being written, if there
// is one, because it is about what happened before the text that follows.
func (p *Presenter) notice(e agent.Event, d agent.Notice) {
	p.cards.revoked(e, d)
	if p.answers.open != nil {
		p.answers.wait(part.Wait{Text: p.Text.Recorded(d.Message), Detail: detailOf(p.Text, d)})
		return
	}
	line := part.Line{ID: fmt.Sprintf("e-%d", e.Seq), Icon: "info", Text: p.Text.Recorded(d.Message), Detail: detailOf(p.Text, d)}
	p.add(item{id: line.ID, seq: e.Seq, View: func() templ.Component { return part.LineView(line) }})
}

// detailOf is what a notice unfolds.
func detailOf(tr *text.Printer, d agent.Notice) part.Detail {
	var detail part.Detail
	if d.Detail != "" {
		detail.HTML = strings.Join(markdown.Render(tr, d.Detail, markdown.Sources{}), "\n")
	}
	for _, r := range d.Cut {
		detail.Cut = append(detail.Cut, part.CutResult{
			Href: "#" + toolElement(r.RunID, r.ToolCallID), Tool: r.ToolName, Size: tr.T("present.line.characters", r.Characters, tr.Amount(int64(r.Characters))),
		})
	}
	return detail
}

// line shows an event in one line, between the messages.
func (p *Presenter) line(e agent.Event) {
	id := fmt.Sprintf("e-%d", e.Seq)
	var view templ.Component
	switch d := e.Data.(type) {
	case agent.GuardEvent:
		if d.Level == agent.Pause.String() {
			return // its card says it
		}
		if d.Level == agent.Stop.String() {
			p.told = d.Message
		}
		view = part.LineView(guardLine(p.Text, id, d))
	case agent.BudgetEvent:
		if d.Level == "" {
			return // a mere figure
		}
		view = part.LineView(BudgetLine(p.Text, id, d, p.Zone))
	case agent.ErrorEvent:
		p.told = d.Message
		view = part.FailureView(p.failure(e, d))
	default:
		return // of a newer program
	}
	p.add(item{id: id, seq: e.Seq, View: func() templ.Component { return view }})
}

func (p *Presenter) finish(e agent.Event, d agent.Finish) {
	p.answers.close()
	p.foldPlan(e)
	if len(p.values) > 0 {
		table := p.values.table(p.audience, fmt.Sprintf("o-%d", e.Seq))
		p.values = nil
		p.add(item{id: table.ID, seq: e.Seq, View: func() templ.Component { return part.OutputTable(table) }})
	}
	end := endOf(p.Text, e, d, p.told)
	if end.Cost = p.Run.price(p.Text); p.TokensOnly {
		end.Cost = ""
	}
	end.Steps = p.Text.T("present.end.took_steps", p.Run.steps, p.Text.Amount(int64(p.Run.steps)))
	end.Took = Seconds(p.Run.active)
	if answer := p.cutAnswer(e.RunID, d.Status); answer != "" {
		end.Continue, end.CSRF, p.cut = p.messagePath(answer)+"/continue", p.CSRF, &end
	}
	p.add(item{id: end.ID, seq: e.Seq, View: func() templ.Component { return part.EndLine(end) }})
}

// cutAnswer is the message with which a run was cut off, as its owner can continue it; "" for none. What can be
// tried again is not offered twice.
func (p *Presenter) cutAnswer(runID string, s agent.Status) string {
	if !p.Owns || p.flow != nil || p.told != "" && s == agent.StatusFailed || s == agent.StatusFinished && !p.Run.tooLong {
		return ""
	}
	for _, it := range slices.Backward(p.items) {
		if it.opens {
			return ""
		}
		if it.answer != nil && it.answer.final != nil && it.answer.final.RunID == runID {
			return it.answer.final.ID
		}
	}
	return ""
}

// moveOn has an answer that was cut off no longer be continued: the chat goes on behind it.
func (p *Presenter) moveOn() {
	if p.cut != nil {
		p.cut.Continue = ""
		p.replace(p.cut.ID, part.EndLine(*p.cut))
		p.cut = nil
	}
}

// guidance shows what a person typed on a card, unless the card or its call does.
func (p *Presenter) guidance(e agent.Event, m agent.Message) {
	if !m.Guides() || !m.Steered && p.cards.show(m) {
		return
	}
	if m.ChangesPlan() { // the plan says how
		line := part.Line{ID: "m-" + m.ID, Icon: "edit", Text: p.Text.T("present.plan.changed", m.SaidBy)}
		p.add(item{id: line.ID, seq: e.Seq, View: func() templ.Component { return part.LineView(line) }})
		return
	}
	said := part.UserMessage{ID: "m-" + m.ID, By: m.SaidBy, Text: m.Content, At: m.CreatedAt, Steered: m.Steered}
	if m.Steered && p.Owns {
		said.By = ""
	}
	p.add(item{id: said.ID, seq: e.Seq, message: true, View: func() templ.Component { return part.Said(said) }})
}

// announce tells those who do not see the page what has changed on it, apart from the
// answer's text, which the page's script reads out by itself. Of a child run it tells only what it
// comes to, and what it asks.
func (p *Presenter) announce(e agent.Event) {
	if _, ends := e.Data.(agent.Finish); ends && e.ParentRunID != "" {
		c := p.children.byID[e.RunID]
		p.say(p.Text.T("present.child.says", AgentName(p.Text, c.agent), c.head().Label))
		return
	}
	if e.ParentRunID != "" && !ofCard(e) {
		return
	}
	switch d := e.Data.(type) {
	case agent.ApprovalRequestedEvent:
		a := p.cards.byID[d.ApprovalID]
		if a != nil && a.Status == agent.ApprovalPending && !p.Viewer.Role.Reviews() { // the inbox tells reviewers
			p.say(p.Text.T("present.say.card", WithRisk(p.Text, CardHead(p.Text, *a), *a)))
		}
	case agent.ApprovalDecidedEvent:
		if a := p.cards.byID[d.ApprovalID]; a != nil {
			s := settledOf(p.Text, *a)
			p.say(p.Text.T("present.say.decided", s.Verb, CardHead(p.Text, *a)))
		}
	case agent.GuardEvent:
		if d.Level != agent.Pause.String() { // its card is told
			line := guardLine(p.Text, "", d)
			p.say(line.Head)
			p.say(line.Text)
		}
	case agent.PlanEvent:
		p.say(p.Text.T("present.say.plan", agent.Plan{Steps: d.Steps}.Done(), len(d.Steps)))
	case agent.ErrorEvent:
		p.say(p.Text.Recorded(d.Message))
	case agent.Finish:
		p.say(EndHead(p.Text, d.StopReason))
	default:
	}
}

// WithRisk adds the risk to the words for what is asked.
func WithRisk(tr *text.Printer, what string, a agent.Approval) string {
	risk := InboxRisk(tr, a)
	if risk == "" {
		return what
	}
	return tr.T("present.say.risk", what, risk)
}
