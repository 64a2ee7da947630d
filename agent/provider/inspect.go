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
	"fusebox/agent/provider/wire"
)

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
	if fault := faultOf(got.err); got.err != nil && lettingNobodyIn(fault) {
		report.Fault, report.Said = fault, messageOf(got.err)
	}
	return report
}

// lettingNobodyIn reports whether a fault of one model's answer is one of the endpoint.
func lettingNobodyIn(fault agent.EndpointFault) bool {
	return fault == agent.FaultKey || fault == agent.FaultForbidden || fault == agent.FaultCredit
}

// faultOf says what is wrong with an endpoint that has failed with an error.
func faultOf(err error) agent.EndpointFault {
	var f *wire.Failure
	switch {
	case !errors.As(err, &f):
		return agent.FaultTimeout
	case f.OutOfCredit():
		return agent.FaultCredit
	case f.Status > 0:
		return statusFault(f)
	}
	return transportFault(f.Err)
}

var statusFaults = map[int]agent.EndpointFault{
	http.StatusUnauthorized: agent.FaultKey, http.StatusForbidden: agent.FaultForbidden, http.StatusTooManyRequests: agent.FaultBusy,
	http.StatusNotFound: agent.FaultAddress, http.StatusMethodNotAllowed: agent.FaultAddress, http.StatusGone: agent.FaultAddress,
}

func statusFault(f *wire.Failure) agent.EndpointFault {
	switch fault := statusFaults[f.Status]; {
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
