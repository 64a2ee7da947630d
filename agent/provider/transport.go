package provider

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"fusebox/agent/provider/wire"
)

var errRedirect = errors.New("redirect to another host")

// keepHost refuses redirects that would take the request, and with it the
// conversation, to another host or scheme.
func keepHost(client *http.Client) *http.Client {
	kept, check := *client, client.CheckRedirect
	kept.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
			return errRedirect
		}
		if check != nil {
			return check(req, via)
		}
		if len(via) >= 5 {
			return errors.New("too many redirects")
		}
		return nil
	}
	return &kept
}

// transportFailure classifies an error without an answer. Names that do not
// exist, invalid certificates and refused addresses stay as they are
// however often one asks; all else may pass.
func transportFailure(err error) *wire.Failure {
	f := &wire.Failure{Retryable: true, Said: "could not be reached", Err: err}
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var refused interface{ Refused() bool }
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		f.Retryable, f.Said = false, "has an unknown host name; check its address"
	case errors.As(err, &cert):
		f.Retryable, f.Said = false, "has an invalid certificate"
	case noTLS(err):
		f.Retryable, f.Said = false, "does not speak TLS at this address"
	case errors.As(err, &refused) && refused.Refused():
		f.Retryable, f.Said = false, "is at an address that this server may not reach"
	case errors.Is(err, errRedirect):
		f.Retryable, f.Said = false, "redirects to another host, which would get the key"
	case errors.Is(err, ErrRemoved):
		f.Retryable, f.Said = false, "was removed here; choose another model for this chat"
	case errors.Is(err, ErrKeyLost):
		f.Retryable, f.Said = false, "has a key that cannot be read on this machine; an admin types it again on the Models page"
	}
	return f
}

// noTLS reports whether a server was asked by https that speaks something else.
func noTLS(err error) bool {
	var plain tls.RecordHeaderError
	return errors.As(err, &plain) || errors.Is(err, http.ErrSchemeMismatch)
}

// readStatus takes errors before the SDK does, which loses the status of
// bodies it does not know. What goes over the wire is recorded here too.
func (p *Provider) readStatus(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	rec := p.raw.Record(req)
	res, err := next(req)
	if err != nil {
		rec.Failed(err)
		return res, err
	}
	rec.Answered(res)
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	return nil, wire.Refusal(res, p.clock.Now())
}
