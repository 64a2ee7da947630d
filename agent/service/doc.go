// Package service is what people command: send, decide, undo, revoke, retry,
// abort. A page, the JSON API and the command line call the same functions.
//
// It imports agent and declares the store methods it needs; it knows neither
// HTTP nor SQL.
package service
