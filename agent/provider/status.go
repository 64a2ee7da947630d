package provider

import (
	"net/http"

	"github.com/openai/openai-go/v3/option"
)

// readStatus takes errors before the SDK does, which loses the status of
// bodies it does not know. What goes over the wire is recorded here too.
func (p *Provider) readStatus(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	rec := p.raw.record(req)
	res, err := next(req)
	if err != nil {
		rec.failed(err)
		return res, err
	}
	rec.answered(res)
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	return nil, refusal(res, p.clock.Now())
}
