package provider

import (
	"errors"
	"log/slog"
	"net/http"

	"fusebox/agent"
)

// Why an endpoint cannot be used.
var (
	ErrRemoved = errors.New("the endpoint was removed")
	ErrKeyLost = errors.New("the key of the endpoint cannot be read")
)

// Unusable is an endpoint that answers nothing but why. Its models stay its own: what
// was meant for them goes to no other endpoint.
func Unusable(name, address string, why error, log *slog.Logger) (*Provider, error) {
	if address == "" {
		address = DefaultBaseURL // nothing is sent there
	}
	return New(Config{Name: name, BaseURL: address, HTTPClient: &http.Client{Transport: never{why}}, Retry: RetryConfig{}, Clock: agent.SystemClock{}, Logger: log})
}

// never sends nothing.
type never struct{ why error }

// RoundTrip fails.
func (n never) RoundTrip(*http.Request) (*http.Response, error) { return nil, n.why }
