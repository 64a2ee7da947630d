// Package wire has the messages of the chat-completions protocol as they are
// written in JSON: what requests and answers of the demo model are made of.
//
// It imports the standard library only.
package wire
