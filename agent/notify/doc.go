// Package notify tells people outside: it takes deliveries out of the outbox
// and sends them by webhook and e-mail, each at least once.
//
// A try is counted and claimed before it is made, so that a crash repeats it
// and nothing else; a channel that hangs does not block the others. It must not
// import the store: cmd hands the outbox over.
package notify
