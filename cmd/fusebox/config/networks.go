package config

import "net/netip"

// networks reads a list of addresses and networks.
func networks(text string) ([]netip.Prefix, bool) {
	var all []netip.Prefix
	for _, item := range list(text) {
		n, ok := network(item)
		if !ok {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

// network reads one; an address is the network of its own.
func network(text string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(text); err == nil {
		a = a.Unmap().WithZone("")
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	n, err := netip.ParsePrefix(text)
	return n.Masked(), err == nil
}
