package mcp

import (
	"errors"
	"io"
	"net/http"
	"time"

	"golang.org/x/time/rate"
)

// Bounds of what a server may send: one message, a burst, and in the long run.
const (
	maxMessage = 8 << 20
	maxBurst   = 32 << 20
	maxRate    = 4 << 20 // bytes a second
)

// errFlood ends the connection to a server that sends too much.
var errFlood = errors.New("it sent more than 32 MB at once")

// metered is a stream from a server, of which the meter counts the bytes.
type metered struct {
	io.ReadCloser
	meter *rate.Limiter
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p[:min(len(p), maxBurst)])
	if n > 0 && !m.meter.AllowN(time.Now(), n) {
		return 0, errFlood
	}
	return n, err
}

// carrier sends requests to a server: with its configured headers, and metered.
type carrier struct {
	base    http.RoundTripper
	headers map[string]string
	origin  string // scheme and host that the headers are for
	meter   *rate.Limiter
}

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme+"://"+r.URL.Host == c.origin {
		r = r.Clone(r.Context())
		for name, value := range c.headers {
			r.Header.Set(name, value)
		}
	}
	res, err := c.base.RoundTrip(r)
	if err == nil {
		res.Body = metered{res.Body, c.meter}
		res.Body = readableBody(res)
	}
	return res, err
}
