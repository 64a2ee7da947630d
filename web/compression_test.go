package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestReadPagesAreCompressed: what people read is compressed for browsers that take it;
// answers to what they send are short, and go out without a compressor's cost.
func TestReadPagesAreCompressed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.get("/login")
	for method, want := range map[string]string{http.MethodGet: "gzip", http.MethodPost: ""} {
		form := url.Values{"csrf_token": {b.csrf}, "email": {"nobody@example.org"}, "password": {"wrong"}}
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/login", strings.NewReader(form.Encode()))
		s.ok(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept-Encoding", "gzip")
		got := b.do(req)
		if encoding := got.header.Get("Content-Encoding"); encoding != want {
			t.Errorf("%s /login: %d in the encoding %q, want %q", method, got.status, encoding, want)
		}
	}
}
