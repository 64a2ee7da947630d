package safehttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// The bounds of every client.
const (
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
	idleConnTimeout  = 90 * time.Second
	maxRedirects     = 5
	maxHeaderBytes   = 256 << 10
	maxIdlePerHost   = 8
)

// Options say what a client may do beyond the public internet.
type Options struct {
	// Allow lists the origins ("host:port") that may be dialled although they
	// are private. They are compared as a whole with what the request names,
	// never by suffix and never with what the name resolves to. One client per
	// purpose keeps an origin from being reached by a redirect of another one.
	Allow []string
	// Timeout bounds a whole exchange, the body included; 0 leaves that to the
	// context. Streams need 0.
	Timeout time.Duration
	// Idle is how many connections to one host are kept for the next requests; 0 keeps a few.
	Idle int
}

// New makes a client. It takes no proxy from the environment: behind a proxy
// the address that is checked would be the proxy's.
func New(o Options) *http.Client {
	allow := make(map[string]bool, len(o.Allow))
	for _, origin := range o.Allow {
		allow[strings.ToLower(origin)] = true
	}
	trusted, checked := net.Dialer{Timeout: dialTimeout}, net.Dialer{Timeout: dialTimeout, ControlContext: control}
	return &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			// How to dial goes by the origin's name; the check itself comes after the name was resolved,
			// right before each connect.
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if allow[strings.ToLower(addr)] {
					return trusted.DialContext(ctx, network, addr)
				}
				return checked.DialContext(ctx, network, addr)
			},
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    handshakeTimeout,
			IdleConnTimeout:        idleConnTimeout,
			MaxIdleConnsPerHost:    cmp.Or(o.Idle, maxIdlePerHost),
			MaxResponseHeaderBytes: maxHeaderBytes,
			ExpectContinueTimeout:  time.Second,
		},
	}
}

// Origin is the "host:port" that a request to rawURL dials, for Options.Allow.
func Origin(rawURL string) (string, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return "", fmt.Errorf("parse url: %w", err)
	}
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return "", errors.New("the url names no host")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("the url's scheme is %q, not http or https", u.Scheme)
	case port == "" && u.Scheme == "https":
		port = "443"
	case port == "":
		port = "80"
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port), nil
}

func control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return fmt.Errorf("%w: network %s", ErrRefused, network)
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrRefused, address)
	}
	return check(ap.Addr())
}

// checkRedirect bounds redirects and keeps them from giving up encryption. The
// new address is checked like any other when it is dialled.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	if req.URL.Scheme != "https" && via[len(via)-1].URL.Scheme == "https" {
		return errors.New("refused a redirect from https to " + req.URL.Scheme)
	}
	return nil
}
