// Package wire reads what an endpoint sends: bytes into events, events into
// chunks, and errors into failures. Open returns a Reader of chunks whose
// habits (habits.go) are undone. RawLog keeps exchanges, and Secrets takes keys
// out of everything that is shown or logged.
//
// A new oddity of answers that one chunk shows is a row of habits.go. One that
// takes memory from chunk to chunk belongs to package answer.
//
// It imports agent and no other package of this module, and no SDK.
package wire
