// Package history makes of a conversation's messages what every endpoint accepts:
// repair.go puts them in order, or as a last resort tells calls as text; encode.go
// writes them, with the signatures of those who made them.
//
// A Memory does each of these once for a conversation whose history grows from
// request to request.
//
// Of this module it imports agent only.
package history
