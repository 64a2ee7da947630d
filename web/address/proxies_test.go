package address_test

import (
	"net/http"
	"net/netip"
	"testing"

	"fusebox/web/address"
)

// TestClientOf: headers are believed from trusted proxies alone, and of a chain only
// what they have written.
func TestClientOf(t *testing.T) {
	t.Parallel()
	trusted := address.Proxies{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, tc := range []struct {
		name, peer string
		header     http.Header
		want       string
	}{
		{"no proxy", "203.0.113.7:1", nil, "203.0.113.7"},
		{"a stranger's claim", "203.0.113.7:1", http.Header{"X-Forwarded-For": {"1.2.3.4"}, "Forwarded": {"for=1.2.3.4"}}, "203.0.113.7"},
		{"a proxy that says nothing", "127.0.0.1:1", nil, "127.0.0.1"},
		{"a proxy", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"203.0.113.7"}}, "203.0.113.7"},
		{"a proxy by IPv6", "[::ffff:127.0.0.1]:1", http.Header{"X-Forwarded-For": {"203.0.113.7"}}, "203.0.113.7"},
		{"a claim before the proxy", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"1.2.3.4, 203.0.113.7"}}, "203.0.113.7"},
		{"a claim in a line of its own", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"1.2.3.4", "203.0.113.7"}}, "203.0.113.7"},
		{"a claim to be a proxy", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"1.2.3.4, 10.0.0.9, 203.0.113.7"}}, "203.0.113.7"},
		{"two proxies", "10.1.1.1:1", http.Header{"X-Forwarded-For": {"1.2.3.4, 203.0.113.7, 10.2.2.2"}}, "203.0.113.7"},
		{"nobody but proxies", "10.1.1.1:1", http.Header{"X-Forwarded-For": {"10.3.3.3, 10.2.2.2"}}, "10.3.3.3"},
		{"a port", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"203.0.113.7:4711"}}, "203.0.113.7"},
		{"nonsense", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"1.2.3.4, <script>"}}, "127.0.0.1"},
		{"nothing", "127.0.0.1:1", http.Header{"X-Forwarded-For": {""}}, "127.0.0.1"},
		{"Forwarded", "127.0.0.1:1", http.Header{"Forwarded": {"for=1.2.3.4, for=203.0.113.7;proto=https;by=10.0.0.1"}}, "203.0.113.7"},
		{"Forwarded by IPv6", "[fd00::1]:1", http.Header{"Forwarded": {`proto=https;For="[2001:db8::7]:4711"`}}, "2001:db8::7"},
		{"Forwarded without a client", "127.0.0.1:1", http.Header{"Forwarded": {"for=unknown;proto=https"}}, "127.0.0.1"},
		{"both", "127.0.0.1:1", http.Header{"X-Forwarded-For": {"203.0.113.7"}, "Forwarded": {"for=1.2.3.4"}}, "203.0.113.7"},
		{"no address at all", "@", http.Header{"X-Forwarded-For": {"1.2.3.4"}}, "@"},
	} {
		if got := trusted.ClientOf(&http.Request{RemoteAddr: tc.peer, Header: tc.header}); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
