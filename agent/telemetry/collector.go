package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"fusebox/agent"
)

// Collector takes traces by OTLP over HTTP, as protobuf. It is spoken to here, and
// not by the SDK's exporter, because that one reads the environment by itself and
// brings gRPC along.
type Collector struct {
	URL     string
	Headers map[string]string
	Client  *http.Client
	Clock   agent.Clock
}

// The bounds of sending: how often one trace is tried, the first wait, the
// longest one, and what is read of an answer.
const (
	maxTries  = 4
	firstWait = time.Second
	maxWait   = 20 * time.Second
	maxAnswer = 64 << 10
)

// retried are the statuses that OTLP says to try again after.
var retried = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// send delivers a document. Its errors contain nothing of address and headers,
// which may be secret.
func (c Collector) send(ctx context.Context, doc *otlp.TracesData) error {
	body, err := proto.Marshal(doc) // TracesData and the request's message are one on the wire
	if err != nil {
		return fmt.Errorf("encode a trace: %w", err)
	}
	wait := firstWait
	for try := 1; ; try++ {
		again, after, err := c.post(ctx, body)
		if err == nil || !again || try == maxTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-c.Clock.After(min(max(wait, after), maxWait)):
		}
		wait *= 2
	}
}

// post is one try: whether another one makes sense, and not before when.
func (c Collector) post(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return false, 0, errors.New("the collector's address is not valid")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		req.Header.Set(name, c.Headers[name])
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", "fusebox")
	client := *c.Client
	// A redirect would take the headers along, wherever it leads.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return true, 0, fmt.Errorf("reach the collector: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	// Read to its end the connection can be used again; what is said in it changes nothing.
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 == 2 {
		return false, 0, nil
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return slices.Contains(retried, res.StatusCode), time.Duration(seconds) * time.Second,
		fmt.Errorf("the collector answers with status %d", res.StatusCode)
}
