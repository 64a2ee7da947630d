// Package api answers programs: JSON under /api/v1, one file an aggregate. A
// handler reads the request, calls one function of the service or the store
// and writes the answer.
//
// It never imports web/page: what both need is a command of the service or a
// view of web/present.
package api
