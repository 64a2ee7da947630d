// Package service is what people command: send, decide, undo, revoke, retry,
// abort. A page, the JSON API and the command line call the same functions.
//
// It imports agent, and declares what commands, pages, and the API read and write
// (store.go, store_admin.go, ports.go); it knows neither HTTP nor SQL.
package service
