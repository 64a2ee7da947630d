// Package address is where the site is: the URL under which people reach it, which
// may have a path, and the addresses from which they come, behind proxies too. It
// imports nothing of ours.
package address
