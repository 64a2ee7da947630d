// Package history makes of a conversation's messages what every endpoint accepts:
// repair.go puts them in order, flatten.go tells calls as text, and encode.go
// writes them, with the signatures of those who made them (signatures.go).
//
// A Memory does each of these once for a conversation whose history grows from
// request to request.
//
// Of this module it imports agent only.
package history
