package provider

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"fusebox/agent"
	"fusebox/agent/provider/answer"
	"fusebox/agent/provider/wire"
)

// probeTimeout bounds a whole test of a model; one that is loaded first takes long.
const probeTimeout = 3 * time.Minute

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

// inspectTimeout bounds the one answer of an inspection; a local model may be loaded first.
const inspectTimeout = 30 * time.Second

// Inspect asks an endpoint for its models, and the one of them that choose names for a
// short answer: some endpoints list their models to anybody, and only an answer shows
// whether they take the key.
func (p *Provider) Inspect(ctx context.Context, choose func(chatting []string) string) agent.EndpointReport {
	var report agent.EndpointReport
	listed, err := p.Models(ctx)
	if err != nil {
		report.Fault, report.Said = faultOf(err), messageOf(err)
		return report
	}
	for _, m := range listed {
		if !m.NoChat {
			report.Models = append(report.Models, m.ID)
		}
	}
	if len(report.Models) == 0 {
		report.Fault = agent.FaultNoModels
		return report
	}
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	report.Asked = choose(report.Models)
	got := p.once().ask(ctx, agent.Request{Model: report.Asked, Messages: probing("Answer with the word pong.")})
	report.Answer = check(got.err == nil, failedOr(got.err, ""))
	if got.err != nil {
		// A fault of this one model is none of its endpoint, unless it lets nobody in.
		switch fault := faultOf(got.err); fault {
		case agent.FaultKey, agent.FaultForbidden, agent.FaultCredit:
			report.Fault, report.Said = fault, messageOf(got.err)
		default:
		}
	}
	return report
}

func faultOf(err error) agent.EndpointFault {
	var f *wire.Failure
	if !errors.As(err, &f) {
		return agent.FaultTimeout
	}
	switch fault := statusFaults[f.Status]; {
	case f.OutOfCredit():
		return agent.FaultCredit
	case f.Status <= 0:
		return transportFault(f.Err)
	case fault != "":
		return fault
	case f.Status == http.StatusBadRequest && strings.Contains(f.Error(), "HTTPS"):
		return agent.FaultTLSOnly
	case f.Status < 400:
		return agent.FaultRedirect
	case f.Status >= 500:
		return agent.FaultFailing
	}
	return agent.FaultRejected
}

var statusFaults = map[int]agent.EndpointFault{
	http.StatusUnauthorized: agent.FaultKey, http.StatusForbidden: agent.FaultForbidden, http.StatusTooManyRequests: agent.FaultBusy,
	http.StatusNotFound: agent.FaultAddress, http.StatusMethodNotAllowed: agent.FaultAddress, http.StatusGone: agent.FaultAddress,
}

// transportFault tells apart what keeps an answer from coming, or from being a list.
func transportFault(err error) agent.EndpointFault {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var slow net.Error
	switch {
	case errors.As(err, &syntax), errors.As(err, &kind):
		return agent.FaultNotModels
	case errors.Is(err, errRedirect):
		return agent.FaultRedirect
	case errors.As(err, &dns):
		return agent.FaultHost
	case errors.As(err, &cert):
		return agent.FaultCertificate
	case noTLS(err):
		return agent.FaultNoTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return agent.FaultRefused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return agent.FaultTimeout
	}
	return agent.FaultUnreachable
}
