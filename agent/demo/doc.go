// Package demo is the demo model: a rule-driven, OpenAI-compatible
// chat-completions server that needs no network and no key. It runs in process
// where no endpoint is configured, and stand-alone.
//
// Its rules show what Fusebox does (tools, loops, retries, budgets, approvals),
// in English and Chinese. Like a real model it knows nothing but the request:
// it looks at the end of the history and continues from there.
//
// A request goes this way: request.go reads it; turn.go finds what the person asked
// and what was done for it since; rules.go asks the rules in their order, most of
// which are rows of two tables of phrases, tests.go and talk.go; request.go makes a call
// if the request insists on one; completion.go and stream.go write the answer.
//
// Where a task is for several agents it hands parts of it over with the tool delegate
// (delegating.go), and as those agents does them (working.go).
//
// The same answers can be written, and requests refused, as a family of
// providers does it: each family is one row of a table whose entries are small
// functions (family.go, package strict).
//
// Of this module it imports its own subpackages only.
package demo
