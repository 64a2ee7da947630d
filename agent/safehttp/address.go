package safehttp

import (
	"fmt"
	"net/netip"
	"slices"
)

// ErrRefused is what every refused connection wraps: the address is not on the
// public internet, and no configured origin allows it.
var ErrRefused error = refusal("the address is not public")

// refusal lets a caller that does not import this package recognise the error
// by its method.
type refusal string

func (r refusal) Error() string { return string(r) }

// Refused reports that asking again cannot help.
func (refusal) Refused() bool { return true }

// special lists what the standard library's predicates do not cover and what
// still must never be reached: it is not routed, or it belongs to the host's
// own infrastructure, or it hides another address in itself.
var special = prefixes(
	"0.0.0.0/8",        // this network
	"100.64.0.0/10",    // carrier-grade NAT
	"168.63.129.16/32", // Azure's host agent, a public address that is none
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"240.0.0.0/4",      // reserved, broadcast
	"2001::/23",        // protocol assignments, Teredo
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: an IPv4 address inside
	"3fff::/20",        // documentation
)

var (
	globalV6 = netip.MustParsePrefix("2000::/3")
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		list[i] = netip.MustParsePrefix(t)
	}
	return list
}

// check refuses every address that is not plainly public. IPv4 in IPv6 clothes
// (mapped, NAT64) is judged as the IPv4 address it leads to.
func check(addr netip.Addr) error {
	a := addr.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case !a.IsGlobalUnicast(), a.IsPrivate(): // loopback, link-local, multicast, unspecified, RFC 1918, ULA
	case a.Is6() && !globalV6.Contains(a): // site-local, IPv4-compatible, local NAT64 and all that is not assigned
	case slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) }):
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", ErrRefused, addr)
}
