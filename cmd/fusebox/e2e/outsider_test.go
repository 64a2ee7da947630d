package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// outsider is a person who reaches the server through a proxy, from an address of their
// own on this machine.
type outsider struct {
	t      *testing.T
	site   string // without a slash at its end
	client *http.Client
	tls    *tls.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

func newOutsider(t *testing.T, site, proxy, from string) *outsider {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &outsider{t: t, site: site, tls: &tls.Config{InsecureSkipVerify: true}} // the certificate is the test's own
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	o.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, proxy)
	}
	o.client = &http.Client{
		Jar: jar, Transport: &http.Transport{DialContext: o.dial, TLSClientConfig: o.tls},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(o.client.CloseIdleConnections)
	return o
}

// do makes a request; header are names and values.
func (o *outsider) do(method, path, body string, header ...string) *http.Response {
	o.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = o.site + path
	}
	req, err := http.NewRequestWithContext(o.t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := o.client.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

const formType = "application/x-www-form-urlencoded"

// signIn returns the status of the attempt.
func (o *outsider) signIn(email, password string) *http.Response {
	o.t.Helper()
	return o.do("POST", "/login", url.Values{"email": {email}, "password": {password}}.Encode(), "Content-Type", formType)
}

// must is do for what has to have a status.
func (o *outsider) must(status int, method, path, body string, header ...string) *http.Response {
	o.t.Helper()
	res := o.do(method, path, body, header...)
	if res.StatusCode != status {
		o.t.Fatalf("%s %s: %d, want %d", method, path, res.StatusCode, status)
	}
	return res
}

// cookies is what the browser sends to the site.
func (o *outsider) cookies() string {
	o.t.Helper()
	u, err := url.Parse(o.site + "/")
	if err != nil {
		o.t.Fatal(err)
	}
	text := ""
	for _, c := range o.client.Jar.Cookies(u) {
		text += fmt.Sprintf("%s=%s; ", c.Name, c.Value)
	}
	return strings.TrimSuffix(text, "; ")
}
