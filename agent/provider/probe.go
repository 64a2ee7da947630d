package provider

import (
	"context"
	"encoding/json"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
)

// probeTimeout bounds a whole test of a model; one that is loaded first takes long.
const probeTimeout = 3 * time.Minute

// probeTool is offered to see whether calls work.
var probeTool = agent.ToolSpec{
	Name: "probe", Description: "Tests tool calls. Call it when you are asked to.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
}

// probe sends a model two true requests, one for a text and one for a tool
// call, and tells what came of them. It does not try again: what fails here is
// what is to be seen.
func (p *Provider) probe(ctx context.Context, model string) agent.ModelReport {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	once := p.once()
	report := agent.ModelReport{Model: p.idOf(model)}
	text := once.ask(ctx, agent.Request{Model: model, Messages: probing("Count from one to five in words, and end with the word pong.")})
	report.Latency, report.Total = text.first, text.total
	report.Answer = check(text.err == nil && text.comp.Content != "", failedOr(text.err, "the answer has no text"))
	report.Streaming = check(text.pieces > 1, failedOr(text.err, "the answer came in one piece"))
	report.Usage = check(text.err == nil && !text.comp.Usage.Estimated, failedOr(text.err, "the endpoint does not report usage; it is estimated"))
	report.Reasoning = check(text.comp.Reasoning != "", failedOr(text.err, "the model shows no reasoning"))
	if text.err != nil {
		report.Tools = report.Answer
		return report
	}
	call := once.ask(ctx, agent.Request{Model: model, Messages: probing("Call the tool probe with the word pong."), Tools: []agent.ToolSpec{probeTool}})
	report.Tools = check(call.err == nil && len(call.comp.Calls) == 1 && call.comp.Calls[0].Name == probeTool.Name && answer.IsObject(call.comp.Calls[0].Arguments),
		failedOr(call.err, "the model did not call the tool it was asked to call"))
	if call.comp.Reasoning != "" {
		report.Reasoning = agent.Check{OK: true}
	}
	return report
}

func probing(text string) []agent.Message {
	return []agent.Message{{Role: agent.FromUser, Content: text}}
}

func check(ok bool, problem string) agent.Check {
	if ok {
		return agent.Check{OK: true}
	}
	return agent.Check{Problem: problem}
}

func failedOr(err error, problem string) string {
	if err != nil {
		return messageOf(err)
	}
	return problem
}

// probed is what came of one request.
type probed struct {
	comp         agent.Completion
	err          error
	first, total time.Duration
	pieces       int
}

func (p *Provider) ask(ctx context.Context, req agent.Request) probed {
	var got probed
	sent := p.clock.Now()
	got.comp, got.err = p.Complete(ctx, req, func(d agent.Delta) error {
		switch d.Kind {
		case agent.DeltaText, agent.DeltaReasoning, agent.DeltaCallStart:
			if got.pieces++; got.pieces == 1 {
				got.first = p.clock.Now().Sub(sent)
			}
		case agent.DeltaCallArgs, agent.DeltaRetry, agent.DeltaReset, agent.DeltaFallback, agent.DeltaNotice:
		}
		return nil
	})
	got.total = p.clock.Now().Sub(sent)
	return got
}
