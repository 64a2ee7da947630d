package present

import (
	"fmt"
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
	p.revoked(e, d)
	if p.open != nil {
		p.addWait(p.open, part.Wait{Text: p.Text.Recorded(d.Message), Detail: detailOf(p.Text, d)})
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
	case agent.RunStart, agent.RunPaused, agent.RunResumed:
		return // the panel and the cards say it
	default:
		return // of a newer program
	}
	p.add(item{id: id, seq: e.Seq, View: func() templ.Component { return view }})
}

// finish closes the run.
func (p *Presenter) finish(e agent.Event, d agent.Finish) {
	p.closeAnswer()
	p.showOutputs(e)
	end := endOf(p.Text, e, d, p.told)
	if end.Cost = p.Run.price(p.Text); p.TokensOnly {
		end.Cost = ""
	}
	end.Steps = p.Text.T("present.end.took_steps", p.Run.steps, p.Text.Amount(int64(p.Run.steps)))
	end.Took = Seconds(p.Run.active)
	p.add(item{id: end.ID, seq: e.Seq, View: func() templ.Component { return part.EndLine(end) }})
}
