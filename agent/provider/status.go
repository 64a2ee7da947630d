package provider

import (
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"fusebox/agent/provider/wire"
)

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
