package safehttp

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestCheckJudgesWhereAnAddressLeads(t *testing.T) {
	t.Parallel()
	refused := []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255",
		"192.168.1.1", "169.254.169.254", "100.64.0.1", "100.127.255.255", "168.63.129.16", "224.0.0.1",
		"239.255.255.255", "255.255.255.255", "240.0.0.1", "192.0.0.192", "198.18.0.1", "192.0.2.1",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:10.0.0.1", "::127.0.0.1", "::a9fe:a9fe",
		"fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "64:ff9b::7f00:1",
		"64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1", "100::1",
	}
	for _, text := range refused {
		if err := check(netip.MustParseAddr(text)); !errors.Is(err, ErrRefused) {
			t.Errorf("check(%s) = %v, want ErrRefused", text, err)
		}
	}
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "168.63.129.15", "169.253.0.1",
		"2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
	} {
		if err := check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("check(%s) = %v, want nil", text, err)
		}
	}
}

// counted is a server on loopback that knows how often it was reached.
func counted(t *testing.T, h http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var hits atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv, &hits
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }

func get(t *testing.T, c *http.Client, target string) error {
	t.Helper()
	res, err := c.Get(target)
	if err == nil {
		_ = res.Body.Close()
	}
	return err
}

func TestLoopbackIsRefusedInEveryNotation(t *testing.T) {
	t.Parallel()
	srv, hits := counted(t, ok)
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	client := New(Options{Timeout: 5 * time.Second})
	for _, host := range []string{
		"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "0",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "127.0.0.1.", "LOCALHOST",
	} {
		if err := get(t, client, "http://"+host+":"+port+"/"); err == nil {
			t.Errorf("GET %s was answered", host)
		}
	}
	if err := get(t, client, srv.URL); !errors.Is(err, ErrRefused) {
		t.Errorf("GET %s = %v, want ErrRefused", srv.URL, err)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server was reached %d times", n)
	}
}

func TestAConfiguredOriginIsAllowedExactly(t *testing.T) {
	t.Parallel()
	srv, _ := counted(t, ok)
	other, otherHits := counted(t, ok)
	origin, err := Origin(srv.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	client := New(Options{Allow: []string{origin}})
	if err := get(t, client, srv.URL); err != nil {
		t.Errorf("the configured origin: %v", err)
	}
	for _, target := range []string{
		other.URL, // same host, another port
		strings.Replace(srv.URL, "127.0.0.1", "localhost", 1), // same server, another name
		strings.Replace(srv.URL, "127.0.0.1", "x.127.0.0.1", 1),
	} {
		if err := get(t, client, target); err == nil {
			t.Errorf("GET %s was answered", target)
		}
	}
	if n := otherHits.Load(); n != 0 {
		t.Errorf("the other server was reached %d times", n)
	}
}

func TestARedirectIsCheckedLikeARequest(t *testing.T) {
	t.Parallel()
	inner, hits := counted(t, ok)
	outer, _ := counted(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inner.URL+"/secret", http.StatusFound)
	})
	client := New(Options{Allow: []string{outer.Listener.Addr().String()}})
	if err := get(t, client, outer.URL); !errors.Is(err, ErrRefused) {
		t.Errorf("err = %v, want ErrRefused", err)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the inner server was reached %d times", n)
	}
}

func TestRedirectsAndHeadersAreBounded(t *testing.T) {
	t.Parallel()
	srv, hits := counted(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/header" {
			w.Header().Set("X-Long", strings.Repeat("a", maxHeaderBytes+1))
			return
		}
		http.Redirect(w, r, "/again", http.StatusFound)
	})
	client := New(Options{Allow: []string{srv.Listener.Addr().String()}})
	if err := get(t, client, srv.URL); err == nil {
		t.Error("an endless redirect was followed to an answer")
	}
	if n := hits.Load(); n != maxRedirects {
		t.Errorf("%d requests, want %d", n, maxRedirects)
	}
	if err := get(t, client, srv.URL+"/header"); err == nil {
		t.Error("a header without bound was accepted")
	}
}

func TestARedirectKeepsEncryption(t *testing.T) {
	t.Parallel()
	from := &http.Request{URL: &url.URL{Scheme: "https", Host: "a.example"}}
	to := &http.Request{URL: &url.URL{Scheme: "http", Host: "a.example"}}
	if err := checkRedirect(to, []*http.Request{from}); err == nil {
		t.Error("https to http was followed")
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://api.example.com/v1": "api.example.com:443",
		"http://API.example.com":     "api.example.com:80",
		"http://[::1]:11434/v1":      "[::1]:11434",
		"ftp://example.com":          "",
		"localhost:8080":             "",
		"http://":                    "",
	} {
		if got, err := Origin(in); got != want || (err != nil) != (want == "") {
			t.Errorf("Origin(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}
