package address

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses and networks of proxies whose word about their clients
// is believed.
type Proxies []netip.Prefix

// ClientOf is the address that a request comes from: that of the connection, unless a
// trusted proxy made it. Then it is the last hop that no trusted proxy has made: what
// stands before it, anybody may have written.
func (p Proxies) ClientOf(r *http.Request) string {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		peer = r.RemoteAddr
	}
	client := peer
	hops := hopsOf(r.Header)
	for i := len(hops) - 1; i >= 0 && p.trust(client); i-- {
		addr, ok := parseHop(hops[i])
		if !ok {
			return client // the proxy does not know, or does not tell
		}
		client = addr.String()
	}
	return client
}

// Overlooked reports whether a request came through a proxy nearby that is not among
// them: all of its clients have one address then.
func (p Proxies) Overlooked(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || r.Header.Get("X-Forwarded-For")+r.Header.Get("Forwarded") == "" {
		return false
	}
	peer := at.Addr().Unmap()
	return (peer.IsLoopback() || peer.IsPrivate()) && !p.trust(peer.String())
}

func (p Proxies) trust(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(a) })
}

// hopsOf are the clients that proxies have noted, the last one's behind all others.
// X-Forwarded-For goes before Forwarded, because every proxy writes it.
func hopsOf(h http.Header) []string {
	if list := h.Values("X-Forwarded-For"); len(list) > 0 {
		return strings.Split(strings.Join(list, ","), ",")
	}
	var hops []string
	for element := range strings.SplitSeq(strings.Join(h.Values("Forwarded"), ","), ",") {
		hops = append(hops, forOf(element))
	}
	return hops
}

// forOf is the client of one element of Forwarded, "" where it names none.
func forOf(element string) string {
	for pair := range strings.SplitSeq(element, ";") {
		if name, value, found := strings.Cut(strings.TrimSpace(pair), "="); found && strings.EqualFold(name, "for") {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// parseHop reads an address as proxies write it: with or without a port or brackets.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap(), true
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return a.Unmap(), err == nil
}
