package wire

import "strings"

// maxRequestID bounds how an endpoint may name a call.
const maxRequestID = 128

// RequestID is the first of some names that has letters left when all but
// printable ASCII is taken out, as someone may paste it into an e-mail.
func (s Secrets) RequestID(names ...string) string {
	for _, name := range names {
		clean := strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return -1
			}
			return r
		}, s.verbatim(name[:min(len(name), 4*maxRequestID)]))
		if clean != "" {
			return clean[:min(len(clean), maxRequestID)]
		}
	}
	return ""
}
