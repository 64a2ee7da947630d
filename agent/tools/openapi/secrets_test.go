package openapi

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fusebox/agent/tools/sandboxed"
)

// TestNoHalfSecrets: wherever what a service says is cut, no part of a secret is left.
func TestNoHalfSecrets(t *testing.T) {
	t.Parallel()
	const key = "a-very-secret-value"
	s := &service{secrets: sandboxed.NewSecrets(map[string]string{"X-Key": key})}
	for name, tc := range map[string]struct {
		status  int
		headers map[string]string
		body    string
	}{
		"an error":        {http.StatusBadRequest, nil, strings.Repeat("x", maxErrorText-9) + key},
		"a long answer":   {http.StatusOK, nil, strings.Repeat("x", maxAnswer-9) + key},
		"when to return":  {http.StatusServiceUnavailable, map[string]string{"Retry-After": strings.Repeat("x", 31) + key}, ""},
		"a redirect":      {http.StatusFound, map[string]string{"Location": "/" + strings.Repeat("x", 470) + key}, ""},
		"a kind of bytes": {http.StatusOK, map[string]string{"Content-Type": "image/" + strings.Repeat("x", 64) + key}, "\x00"},
	} {
		res := &http.Response{
			StatusCode: tc.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tc.body)),
			Request: &http.Request{URL: &url.URL{Scheme: "http", Host: "desk.example"}},
		}
		for name, value := range tc.headers {
			res.Header.Set(name, value)
		}
		got, err := s.answer(res)
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.Index(got.Content, key[:4]); i >= 0 {
			t.Errorf("%s has %q", name, got.Content[i:min(i+40, len(got.Content))])
		}
	}
}
