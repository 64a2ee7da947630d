// Package historytest makes histories for tests: sound ones, broken ones, and
// those that change from request to request as a run changes them.
package historytest
