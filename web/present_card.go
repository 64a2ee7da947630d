package web

import (
	"encoding/json"
	"strings"

	"github.com/a-h/templ"

	"fusebox/agent"
	"fusebox/views/part"
)

// cancelled is the decision of a card whose run ended before anybody decided.
const cancelled = "cancelled"

// maxDiffLines bounds the lines of a change on a card.
const maxDiffLines = 2000

func cardID(approvalID string) string { return "a-" + approvalID }

// ask shows an approval. One that is asked again takes the place of its card.
func (p *presenter) ask(e agent.Event, d agent.ApprovalRequestedEvent) {
	a := &agent.Approval{
		ID: d.ApprovalID, Kind: d.Kind, Risk: d.Risk, RunID: e.RunID, ConversationID: p.conv.ID,
		ToolCallID: d.ToolCallID, ArgsHash: d.ArgsHash, Evidence: d.Evidence, Message: d.Message, Options: d.Options,
		Status: agent.ApprovalPending, Generation: d.Generation, RequestedAt: e.At, OwnerID: p.conv.OwnerID,
	}
	if t := p.tool(e, d.ToolCallID); t != nil {
		a.ToolName, a.Args = t.name, json.RawMessage(t.args)
	}
	known := p.cards[a.ID] != nil
	p.cards[a.ID] = a
	if known {
		p.replace(cardID(a.ID), p.card(a.ID))
		return
	}
	p.add(item{id: cardID(a.ID), seq: e.Seq, view: func() templ.Component { return p.card(a.ID) }})
}

// settle shows what was decided.
func (p *presenter) settle(e agent.Event, d agent.ApprovalDecidedEvent) {
	a := p.cards[d.ApprovalID]
	if a == nil {
		return
	}
	a.Status, a.Decision, a.DecidedBy, a.DecidedAt, a.Comment = agent.ApprovalDecided, agent.Verb(d.Decision), d.DecidedBy, e.At, d.Comment
	if d.Decision == cancelled {
		a.Status = agent.ApprovalCancelled
	}
	p.replace(cardID(a.ID), p.card(a.ID))
}

func (p *presenter) card(id string) templ.Component {
	a := *p.cards[id]
	return part.ApprovalCard(approvalProps(a, p.mayDecide(a), p.csrf))
}

// approvalProps is an approval as its card shows it, on every page.
func approvalProps(a agent.Approval, mayDecide bool, csrf string) part.Approval {
	props := part.Approval{
		ID: a.ID, DOM: cardID(a.ID), Kind: string(a.Kind), Risk: string(a.Risk), Head: cardHead(a), Why: a.Message,
		ArgsHash: a.ArgsHash, Generation: a.Generation, CSRF: csrf, Expires: a.ExpiresAt,
		MayDecide: mayDecide, Critical: a.Risk == agent.RiskCritical, AboutRun: a.ToolCallID == "",
	}
	if len(a.Args) > 0 {
		props.Args = indentJSON(string(a.Args))
	}
	for _, o := range a.Options {
		props.Options = append(props.Options, part.Choice{ID: o.ID, Label: o.Label, Hint: optionHints[o.ID], Counts: o.ID == agent.ResumeAllowMore})
	}
	addEvidence(&props, a)
	if a.Status != agent.ApprovalPending && a.Status != "" {
		props.Settled = settledOf(a)
	}
	return props
}

// optionHints say what comes of each way to go on.
var optionHints = map[string]string{
	agent.ResumePlain:     "Where a call is held back it is executed; the streak goes on and meets the breaker.",
	agent.ResumeAllowMore: "Then the breakers count as before, and ask again.",
	agent.ResumeAsPolling: "It is tried again without the model, after 2 s, 4 s, … 60 s. Only a new result goes to the model.",
	agent.ResumeFinishNow: "One last answer, without tools.",
}

// addEvidence decodes what the card shows. Evidence that does not decode comes
// from a newer program; the card then shows its arguments alone.
func addEvidence(props *part.Approval, a agent.Approval) {
	switch a.Kind {
	case agent.KindLoop:
		props.Loop = loopShown(a.Evidence)
	case agent.KindBudget:
		props.Budget = budgetShown(a.Evidence)
	case agent.KindOutcome:
		var ev agent.OutcomeEvidence
		_ = json.Unmarshal(a.Evidence, &ev)
		props.Call = &part.CallAsked{Tool: a.ToolName, Started: ev.StartedAt, Key: ev.IdempotencyKey}
	case agent.KindTool:
		var ev agent.ToolEvidence
		_ = json.Unmarshal(a.Evidence, &ev)
		props.Call = &part.CallAsked{
			Tool: a.ToolName, Effect: effectLabel(ev.Effect), Rule: ev.Rule, Command: ev.Command, Cwd: ev.Cwd, Diff: diffLines(ev.Diff),
		}
	}
}

// diffLines takes a unified diff apart; what stands before its first place
// names the files.
func diffLines(diff string) []part.DiffLine {
	var lines []part.DiffLine
	inside := !strings.Contains(diff, "@@")
	for line := range strings.Lines(diff) {
		if len(lines) == maxDiffLines {
			return append(lines, part.DiffLine{Sign: "@", Text: "… the rest is in the arguments"})
		}
		line = strings.TrimSuffix(line, "\n")
		inside = inside || strings.HasPrefix(line, "@@")
		lines = append(lines, diffLine(line, inside))
	}
	return lines
}

func diffLine(line string, inside bool) part.DiffLine {
	switch {
	case !inside, strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`):
		return part.DiffLine{Sign: "@", Text: line}
	case line != "" && strings.ContainsAny(line[:1], "+-"):
		return part.DiffLine{Sign: line[:1], Text: line[1:]}
	default:
		return part.DiffLine{Sign: " ", Text: strings.TrimPrefix(line, " ")}
	}
}

func budgetShown(raw json.RawMessage) *part.BudgetShown {
	var ev agent.BudgetEvidence
	_ = json.Unmarshal(raw, &ev)
	shown := &part.BudgetShown{
		Scope: ev.Scope, Used: tokens(ev.UsedTokens), Limit: tokens(ev.LimitTokens), Next: tokens(ev.NextStepTokens),
		Cost: money(ev.UsedMicros), RaiseBy: max(ev.LimitTokens, ev.NextStepTokens),
		Fuse: part.Fuse{
			Name: "TOKENS", Means: "Tokens used", Value: tokens(ev.UsedTokens), Limit: tokens(ev.LimitTokens),
			Lit: part.Lit(ev.UsedTokens, ev.LimitTokens), Level: part.Tripped,
		},
	}
	if ev.LimitMicros > 0 {
		shown.CostLimit = money(ev.LimitMicros)
	}
	return shown
}
