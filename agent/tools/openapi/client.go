package openapi

import (
	"errors"
	"net/http"
	"net/url"

	"fusebox/agent/safehttp"
)

// newClient makes a client for one host, which may be private. It follows redirects within the host,
// of requests that only read.
func newClient(base string) (*http.Client, error) {
	origin, err := safehttp.Origin(base)
	if err != nil {
		return nil, err
	}
	client := safehttp.New(safehttp.Options{Allow: []string{origin}})
	checked := client.CheckRedirect
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0]
		if !reads(first.Method) || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
			return http.ErrUseLastResponse
		}
		return checked(req, via)
	}
	return client, nil
}

// cause is an error without the address, whose arguments the caller knows.
func cause(err error) string {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	return err.Error()
}
